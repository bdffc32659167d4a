"""What a page says of itself and of its place in a site is not read: it answers no question."""

from __future__ import annotations

from crawler.extract.document import extract
from tests.tables import each_row

PARAGRAPH = (
    "The keeper trims the wick every evening before he lights the lamp, and again at midnight when the oil is low, "
    "because a dirty wick gives a yellow light that no ship can see from far away."
)


def _read(body: str, *, generator: str = "Sphinx 7.2") -> str:
    head = f"<title>The lamp</title><meta name='generator' content='{generator}'>"
    page = f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>"
    return extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8").text


@each_row(
    "line",
    [
        "<p>Last updated on Mar 03, 2024.</p>",  # Sphinx
        "<p class='update-date'>Last update: January 5, 2024</p>",  # MkDocs
        "<ul><li id='lastmod'> This page was last edited on 3 May 2024, at 10:00.</li></ul>",  # MediaWiki
        "<p><a href='/edit'>Edit on GitHub</a></p>",  # Read the Docs
        "<p><a href='/src'>Show Source</a></p>",
        "<p>Was this page helpful?</p>",
        "<h2>Was this page helpful?</h2>",
        "<p>Did you find this article useful? Yes No</p>",
        "<p><a href='/bug'>Report a problem with this page</a></p>",
        "<p>Found a typo on this page? <a href='/e'>Tell us.</a></p>",
        "<p><a href='#top'>Back to top</a></p>",
        "<p>This document was generated on January 19, 2022 using <a href='/t'>texi2html 1.82</a>.</p>",
        "Updated: 10 Nov 2016<br><a href='#index'>Index</a> <a href='/man2html'>Return to Main Contents</a><hr>",
        "<p>Zuletzt aktualisiert am 3. März 2024</p>",
        "<p>War diese Seite hilfreich?</p>",
        "<p>Dernière mise à jour le 3 mars 2024</p>",
    ],
)
def test_lines_about_the_page_are_left_out(line: str) -> None:
    text = _read(f"<h1>The lamp</h1><p>{PARAGRAPH}</p>{line}<h2>Oil</h2><p>{PARAGRAPH}</p>")
    assert text == f"The lamp\n\n{PARAGRAPH}\n\nOil\n\n{PARAGRAPH}"


@each_row(
    "line",
    [
        "Edit the file /etc/lamp.conf.",
        "Print the page of the log that you are on.",
        "Last modified times are kept since 1970 where the file system has them, so that the newest log wins.",
        "Report problems with this lamp to the harbour master in 2024.",
        "Yes, no ship was lost.",
        "Copyright © 1871 is what the lens says.",
        "The lamp was last updated by hand.",
        "This document was made for keepers.",
    ],
)
def test_sentences_that_begin_like_them_are_kept(line: str) -> None:
    assert line in _read(f"<h1>The lamp</h1><p>{PARAGRAPH}</p><p>{line}</p><h2>Oil</h2><p>{PARAGRAPH}</p>")


@each_row(
    "footer",
    [
        "<p>Copyright © 2001-2023 by the keepers</p>",
        "<div class='bottom'>© Copyright 2024, The keepers. <br>Created using <a href='/s'>Sphinx</a> 7.2.</div>",
        "<hr><address>Generated on Mon Mar 4 2024 for Lamp by <a href='/d'>doxygen</a> 1.9.4</address>",
        "<p>Text is available under the <a href='/l'>Creative Commons License</a>; additional terms may apply.</p>",
        "<p>Built with <a href='/m'>MkDocs</a>.</p>",
        "<p><a href='/p'>Privacy policy</a> <a href='/a'>About</a> <a href='/t'>Terms of use</a></p>",
        "<p>Powered by <a href='/w'>WordPress</a></p>",
    ],
)
def test_the_footer_of_a_page_is_left_out(footer: str) -> None:
    text = _read(f"<h1>The lamp</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>{footer}")
    assert text == f"The lamp\n\n{PARAGRAPH}\n\n{PARAGRAPH}"


def test_a_notice_below_a_heading_that_names_it_is_content() -> None:
    notice = "Copyright © 2001-2023 by the keepers of Harrow Point."
    assert notice in _read(f"<h1>The lamp</h1><p>{PARAGRAPH}</p><h2>Copyright and licence</h2><p>{notice}</p>")


@each_row(
    "navigation",
    [
        # a table of contents within the page
        "<h2>On this page</h2><ul><li><a href='#oil'>Oil</a></li><li><a href='#wick'>The wick</a></li></ul>",
        "<ul><li><a href='#oil'>Oil</a></li><li><a href='#wick'>The wick</a></li><li><a href='#p'>Pay</a></li></ul>",
        "<ul><li><a href='lamp.html#oil'>Oil</a></li><li><a href='lamp.html#wick'>The wick</a></li></ul>",
        # breadcrumbs without a class that says so
        "<div><a href='/'>Home</a> » <a href='/m'>Manual</a> » The lamp</div>",
        "<p><a href='/'>Lamp manual</a> &gt; <a href='/m'>Chapter 2</a></p>",
        # Texinfo
        "<div>Next: <a href='o.html'>Oil</a>, Previous: <a href='t.html'>Towers</a>, Up: <a href='i.html'>Top</a> "
        "&nbsp; [<a href='toc.html'>Contents</a>][<a href='ix.html'>Index</a>]</div>",
        "<p>Next: <a href='o.html'>A</a>, Up: <a href='i.html'>B</a></p>",
    ],
)
def test_navigation_within_the_page_is_left_out(navigation: str) -> None:
    text = _read(f"{navigation}<h1>The lamp</h1><p>{PARAGRAPH}</p><h2>Oil</h2><p>{PARAGRAPH}</p>")
    assert text == f"The lamp\n\n{PARAGRAPH}\n\nOil\n\n{PARAGRAPH}"


def test_a_list_of_links_that_says_what_each_leads_to_is_kept() -> None:
    text = _read(
        f"<h1>The lamp</h1><p>{PARAGRAPH}</p><ul><li><a href='#oil'>Oil</a>: which of the three kinds to buy</li>"
        f"<li><a href='#wick'>Wick</a>: how it is trimmed and when</li></ul><p>{PARAGRAPH}</p>"
    )
    assert "- Oil: which of the three kinds to buy\n- Wick: how it is trimmed and when" in text


def test_a_contents_title_whose_list_is_gone_goes_too() -> None:
    text = _read(
        f"<h1>The lamp</h1><p>{PARAGRAPH}</p><h2>Table of Contents</h2>"
        f"<div class='toc'><a href='o.html'>Oil</a> <a href='w.html'>Wick</a></div><h2>Oil</h2><p>{PARAGRAPH}</p>"
    )
    assert "Contents" not in text
