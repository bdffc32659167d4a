"""What is hidden by a style is not read, what is shown is; no sheet takes long."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.extract.css import colour_of
from crawler.extract.document import NothingToRead, extract
from tests.tables import each_row

WORDS = "The keeper trims the wick every evening before he lights the lamp, and again at midnight. " * 3


def read(body: str, head: str = "") -> str:
    page = f"<html><head>{head}</head><body><main><p>{WORDS}</p>{body}<p>Last.</p></main></body></html>"
    return extract(page.encode(), url="https://e.org/", content_type="text/html; charset=utf-8").text


@each_row(
    "style",
    [
        "color:white;background:#036",
        "color:#fff;background-image:url(x.png);background:url(x.png)",
        "color:white;background:linear-gradient(red,blue)",
        "color:transparent;-webkit-background-clip:text;background:linear-gradient(red,blue)",
        "opacity:.5",
        "font-size:12px",
        "font:italic 1.2em/1.5 serif",
        "margin-left:-20px;text-indent:-1em",
        "left:-50%",
        "height:0",  # what overflows is seen
        "overflow:hidden;height:20em;max-width:100%",
        "transform:scale(1.05) translateX(-50%)",
        "display:block;visibility:visible",
        "color:rgba(0,0,0,.87)",
        "width:0.5em",
        "color:oklch(1 0 0)",  # white, which is not worked out: what is not known is read
        "color:rgb(;background:hsl(1e999 nan% / )",
        f"color:rgb({'9' * 1_900})",
    ],
)
def test_what_a_style_shows_is_read(style: str) -> None:
    assert "Shown here" in read(f'<p style="{style}">Shown here.</p>')


@pytest.mark.parametrize(
    "style",
    [
        "color:hsl(0 0% 100%)",
        "color:aliceblue",
        "color:rgb(100% 100% 100%)",
        "color:hwb(0 99% 0%)",
        "color:#0000",
        "color:#00000005",
        "color:hsla(120, 50%, 50%, 0.01)",
        "color:#123;background:rgb(17 34 51)",
        "color:#fff;background:rgb(255, 255, 255) none",
        "color:#fff;background:rgb(255, 255, 255) none repeat scroll 0% 0%",
        "color:#000;background:rgba(0, 0, 0, 1) none",
        "color:currentColor;opacity:0",
    ],
)
def test_letters_in_the_colour_of_the_ground_are_not_read_however_it_is_written(style: str) -> None:
    assert "Hidden there" not in read(f'<p style="{style}">Hidden there.</p>')


@pytest.mark.parametrize("ground", ["rgba(0,0,0,0)", "#0000", "hsl(0 0% 0% / 0)"])
def test_ground_that_is_seen_through_hides_no_letters(ground: str) -> None:
    assert "Shown here" in read(f'<p style="color:#000;background:{ground}">Shown here.</p>')


@given(
    st.lists(
        st.sampled_from(["color(", "rgb(", "hsl(", "#", ")", "f0", "1e999", "%", ",", "/", " ", "none", "\\", "'"])
    )
)
@example(["color("])
def test_no_colour_stops_the_reading(parts: list[str]) -> None:
    colour_of("".join(parts))


def test_white_letters_on_a_dark_ground_of_any_ancestor_are_read() -> None:
    assert "Shown here" in read('<div style="background:#222"><div><p style="color:#fff">Shown here.</p></div></div>')
    assert "Shown here" in read(
        '<table bgcolor="navy"><tr><td><font color="white">Shown here.</font></td></tr></table>'
    )
    head = "<style>body{background:#111}</style>"
    assert "Shown here" in read('<p style="color:#fff">Shown here.</p>', head)


def test_more_specific_rule_shows_again_what_another_hides() -> None:
    head = "<style>.tab{display:none} .tab.active{display:block}</style>"
    text = read('<div class="tab active">Shown here.</div><div class="tab">Hidden there.</div>', head)
    assert "Shown here" in text
    assert "Hidden" not in text


@each_row(
    "css",
    [
        "@media print{.x{display:none}}",
        ".menu .x{display:none}",  # it stands in no menu
        ".x:hover{display:none}",
        "/* .x{display:none} */",
        "@import url(a.css); .y{display:none}",
    ],
)
def test_rule_that_does_not_hold_for_it_hides_nothing(css: str) -> None:
    assert "Shown here" in read('<p class="x">Shown here.</p>', f"<style>{css}</style>")


def test_rule_for_what_stands_within_another_hides_it() -> None:
    head = "<style>@media print{p{color:red}} .note > .inner p{visibility:hidden}</style>"
    text = read('<div class="note"><div class="inner"><p>Hidden there.</p></div></div>', head)
    assert "Hidden" not in text


@each_row(
    "body, head",
    [
        (
            "<h3><button aria-expanded aria-controls=p>How?</button></h3><section id=p hidden>Shown here.</section>",
            "",
        ),
        ("<div class=faq-q onclick=x()>How do I pay?</div><div style='display:none'><p>Shown here.</p></div>", ""),
        ("<h3 class=accordion-title>How?</h3><div class=a>Shown here.</div>", "<style>.a{display:none}</style>"),
        (
            "<button class=accordion>How?</button><div class=a>Shown here.</div>",
            "<style>.a{max-height:0;overflow:hidden}</style>",
        ),
        ("<a data-toggle=collapse href='#p'>How?</a><div id=p style='display:none'>Shown here.</div>", ""),
        (
            "<input id=c><label for=c>How?</label><div style='height:0;overflow:hidden'>Shown here.</div>",
            "",
        ),
        ("<dl><dt><button>How do I pay?</button></dt><dd hidden>Shown here.</dd></dl>", ""),
        (
            "<p>How? First. <span style='display:none'>Shown here.</span><button type=button>Read more</button></p>",
            "",
        ),
        ("<button popovertarget=p>How?</button><div id=p popover>Shown here.</div>", ""),
        ("<p>How do I pay?</p><p aria-hidden=true>Shown here.</p>", ""),
    ],
)
def test_panel_that_a_click_opens_is_read_below_its_label(body: str, head: str) -> None:
    text = read(body, head)
    assert 0 < text.index("How") < text.index("Shown here")


@each_row(
    "body",
    [
        "<h2>Paying</h2><div style='display:none'>Hidden there.</div>",  # nothing opens it
        "<button aria-controls=m>Menu</button><ul id=m hidden><li><a href=/a>Hidden there</a></li></ul>",
        "<a href='#m' data-toggle=modal data-target='#m'>Join</a><div id=m style='display:none'>Hidden there.</div>",
        "<button aria-controls=m>Join</button><div id=m role=dialog hidden>Hidden there.</div>",
        "<form><button>Send</button></form><div style='display:none'>Hidden there.</div>",
        "<button aria-controls=p>How?</button><div id=p style='color:#fff'>Hidden there.</div>",
        "<button aria-controls=p>How?</button><div id=p style='display:none;text-indent:-9999px'>Hidden there.</div>",
        "<button aria-controls=p></button><div id=p hidden>Hidden there.</div>",
        "<button aria-controls=p hidden>How?</button><p>x</p><div id=p hidden>Hidden there.</div>",
        "<p style='opacity:0'><button aria-controls=p>How?</button></p>x<div id=p hidden>Hidden there.</div>",
        "<button aria-controls=p>How?</button><div id=p hidden>x<p style='font-size:0'>Hidden there.</p></div>",
        "<button>Hidden there</button><button type=submit>Hidden there</button><p>x</p>",
        "<textarea>Hidden there.</textarea>",
    ],
)
def test_what_no_click_opens_stays_hidden(body: str) -> None:
    assert "Hidden there" not in read(body)


@pytest.mark.parametrize("names", [("aria-controls=a", "aria-controls=b"), ("", "")])
def test_label_of_a_tab_stands_above_what_it_opens(names: tuple[str, str]) -> None:
    tabs = "".join(
        f"<button role=tab {name}>{label}</button>" for name, label in zip(names, ("Linux", "macOS"), strict=True)
    )
    panels = "<div role=tabpanel id=a><p>Type one.</p></div><div role=tabpanel id=b hidden><p>Type two.</p></div>"
    text = read(f"<div role=tablist>{tabs}</div>{panels}")
    assert "Linux\n\nType one.\n\nmacOS\n\nType two." in text


def test_text_to_copy_is_read_as_code() -> None:
    assert "one\n  two" in read("<textarea readonly>one\n  two</textarea>")


PARAGRAPH = '<p class="x" id="i" data-a="b c">Words between.</p>'


@each_row(
    "css",
    [
        "[data-a]{display:none}",
        "[data-a='b c']{display:none}",
        "[data-a~=c]{display:none}",
        "[DATA-A^=b]{display:none}",
        "p[data-a$=c]{display:none}",
        ".x:not(.y):not([data-b]){display:none}",
        ".x:not(:hover){display:none}",
        "main > :nth-child(2){display:none}",
        "p:nth-last-child(2n){display:none}",
        "p:not(:first-child):not(:last-child){display:none}",
        "p + .x{display:none}",
        "main > p ~ .x{display:none}",
        ":is(.y, .x){display:none}",
        ":root :where(#i){display:none}",
        "@media screen{.x{display:none}}",
        "@media print, only screen and (min-width: 40em){.x{display:none}}",
        "@media not print{@supports (display:grid){.x{display:none}}}",
        "@media (prefers-color-scheme: light){.x{color:#fff}}",
        "@layer base{.x{display:none}}",
        "@layer a, b; @layer a{main{.x{display:none}}}",
        "@scope (main){.x{display:none}}",
        "main{p{&.x{display:none}}}",
        "main{& > .x{display:none}}",
        ".x{color:red; .z, &{display:none}}",
        ".\\78{d\\69splay:n\\6fne}",
        "/**/.x/**/{/**/display/**/:/**/none/**/}",
        ":root{--seen: none} .x{display:var(--seen)}",
        "main{--ground:#fff} .x{color:var(--ink, var(--ground))}",
        ".x{display:none!important} p.x#i{display:block}",
        ".x{display:none; display:nonsense}",
        ".x{background:url('}');display:none}",
        "<!-- .x{display:none} -->",
        "@import 'a.css'; @charset 'b'; .x{display:none}",
        ".x{display:none",  # a browser closes it
        f".y{{left:{'1' * 5_000}px}} .x{{display:none}}",
        ".x{scale:0}",
        ".x{-webkit-text-fill-color:transparent}",
        ".x{filter:blur(1px) opacity(0%)}",
        ".x{position:absolute;inset:auto auto auto -9999px}",
        ".x{translate:-9999px 0}",
        ".x{max-block-size:0;overflow-y:hidden}",
        ".x{transform:matrix(0, 0, 0, 0, 0, 0)}",
        ".x{font-size:calc(0px)}",
        ".x{font-size:1e-5px}",
        ".x{color:#ffffff00;background:#000}",
        ".x{color:hsla(0, 0%, 0%, 0)}",
        ".x{color:rgb(100%, 100%, 100%)}",
    ],
)
def test_rule_hides_what_it_means_however_it_is_written(css: str) -> None:
    assert "Words between" not in read(PARAGRAPH, f"<style>{css}</style>")


@each_row(
    "css",
    [
        "@media (max-width: 600px){.x{display:none}}",
        "@media screen and (width < 600px){.x{display:none}}",
        "@media not screen, print{.x{display:none}}",
        "@media (prefers-color-scheme: dark){.x{display:none}}",
        "@supports not (display:grid){.x{display:none}}",
        "@keyframes a{from{display:none}}",
        ".x::before{display:none}",
        ".x:before, .x:focus, .x:is(:hover), .x:empty{display:none}",
        ".x:not(p), .x:not(.x){display:none}",
        "p:nth-child(3n), .x:first-child, #i:last-child{display:none}",
        "div + .x, .x ~ .x, main + .x{display:none}",
        "[data-b], [data-a=b], [data-a|=c], [data-a*='']{display:none}",
        "nav{.x{display:none}} .x{& b{display:none} .y &{display:none}}",
        "@layer a{.x{display:none}} .x{display:block}",
        "p.x{display:block}.x{display:none}",
        ".x{display:none} .x{display:block!important} p.x#i{display:none}",
        ".x{content:'display:none'; --display:none}",
        ":root{--seen:block} .x{display:var(--seen, none)}",
        "nav{--seen:none} .x{display:var(--seen, block)}",
        ".x{color:#fff;-webkit-text-fill-color:#111}",
        ".x{scale:.5;translate:-50%;inset:0;filter:opacity(60%)}",
        ".x{width:calc(0px + 20em);overflow:hidden}",
    ],
)
def test_rule_that_means_something_else_hides_nothing(css: str) -> None:
    assert "Words between" in read(PARAGRAPH, f"<style>{css}</style>")


@each_row(
    "style",
    [
        "display:n\\6fne",
        "DISPLAY:/**/NONE!important",
        "--x:none;display:var(--x)",
        "display:var(--x, none)",
        "color:#123456;-webkit-text-fill-color:#fff",
        "scale:0 1",
        "opacity:0e0",
    ],
)
def test_style_of_an_element_hides_it_however_it_is_written(style: str) -> None:
    assert "Words between" not in read(f'<p style="{style}">Words between.</p>')


def test_page_without_head_and_body_tags_is_read() -> None:
    page = f"<title>Lamp</title><main><p>{WORDS}</p></main>".encode()
    assert "trims the wick" in extract(page, url="https://e.org/", content_type="text/html").text


@each_row(
    "css",
    [
        ".y{left:0}" * 4_000 + ".x{display:none}",
        f"/*{'a' * 400_000}*/.x{{display:none}}",
        ".y," * 2_000 + ".x{display:none}",
        "@media all{" * 20 + ".x{display:none}" + "}" * 20,
        ".a .x{display:none}",  # 60 elements around it
        ".c21{display:none}",
        ":root{--a:var(--b);--b:var(--c);--c:var(--d);--d:var(--e);--e:none} .x{display:var(--a)}",
        "/*</style><style>.x{display:none}",
    ],
)
def test_rule_hides_however_many_stand_before_it_and_however_far_away_its_parts(css: str) -> None:
    classes = " ".join(f"c{number}" for number in range(40))
    body = f'<div class="a">{"<div>" * 60}<p class="{classes} x">Words between.</p>{"</div>" * 60}</div>'
    assert "Words between" not in read(body, f"<style>{css}</style>")


def test_long_style_of_an_element_hides_it() -> None:
    assert "Words between" not in read(f'<p style="{"left:0;" * 1_000}display:none">Words between.</p>')


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "css",
    [
        "/*" * 100_000,
        "{" * 200_000,
        ".a .a .a .a p{display:none}" * 3_000,
        "a," * 100_000 + "p{left:0}",
        "p{color:" + "rgb(" * 50_000 + "}",
        "p ~ p ~ p ~ p + p{display:none}" * 3_000,
        "p ~ " * 5_000 + "p{left:0}",
        ":not(:is(:not(" * 20_000,
        "a{b{" * 20_000,
        "p,p,p,p{" * 20 + "left:0",
        "p:nth-of-type(2n){left:0}" * 3_000,
        ":nth-last-child(n of :nth-last-child(n of p)){left:0}",
        "@media " + "not " * 20_000 + "print{p{left:0}}",
    ],
    ids=[
        *("comments", "braces", "descendants", "selectors", "colours", "siblings", "many siblings", "functions"),
        *("nesting", "lists in lists", "numbers", "numbers among some", "negations"),
    ],
)
def test_hostile_sheet_takes_bounded_work_and_shows_nothing_hidden(css: str) -> None:
    """Where it would take more, the page is not read."""
    body = '<div class="a">' * 200 + '<p class="a" style="color:#fff">x</p>' * 500 + "</div>" * 200
    head = f"<style>{css}</style><style>.hidden{{display:none}}</style>"
    with suppress(NothingToRead):
        assert "Words between" not in read(f"{body}<p class=hidden>Words between.</p>", head)
