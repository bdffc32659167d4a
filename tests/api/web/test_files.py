"""The web page's files: nothing from elsewhere, nothing as markup, and nothing missing."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.testclient import TestClient

from domain import Status

PAGE = Path(__file__).parents[3] / "api" / "web"
HTML = (PAGE / "index.html").read_text()
STYLES = [path.relative_to(PAGE).as_posix() for path in sorted(PAGE.rglob("*.css"))]
STYLE = "".join((PAGE / name).read_text() for name in STYLES)
SCRIPTS = [path.relative_to(PAGE).as_posix() for path in sorted(PAGE.rglob("*.js"))]
SCRIPT = "".join((PAGE / name).read_text() for name in SCRIPTS)


def test_page_comes_with_a_policy_that_lets_nothing_else_in(http: TestClient) -> None:
    scripts = {f"/web/{name}": "text/javascript" for name in SCRIPTS}
    for path, media_type in {"/": "text/html", **scripts, **{f"/web/{name}": "text/css" for name in STYLES}}.items():
        response = http.get(path)
        assert response.status_code == 200, path
        assert response.headers["content-type"].startswith(media_type), path
        policy = dict(
            part.strip().partition(" ")[::2] for part in response.headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] in ("'none'", "'self'")
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert response.headers["x-content-type-options"] == "nosniff"


def test_page_holds_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)", HTML)
    assert not re.search(r"(?:src|href)=\"(?!/|#|data:,)", HTML)
    assert "@import" not in STYLE
    assert "url(" not in STYLE


def test_script_never_makes_markup_of_text() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", SCRIPT)


def test_page_has_every_element_that_its_scripts_use() -> None:
    wanted = set(re.findall(r"\$\(\"([\w-]+)\"\)", SCRIPT))
    assert wanted
    assert wanted <= set(re.findall(r"id=\"([\w-]+)\"", HTML))


def test_every_field_has_a_label() -> None:
    fields = re.findall(r"<(?:input|textarea|select) id=\"([\w-]+)\"", HTML)
    assert fields
    assert set(fields) == set(re.findall(r"<label for=\"([\w-]+)\"", HTML))


def test_page_stays_small() -> None:
    assert sum(len(text.encode()) for text in (HTML, SCRIPT, STYLE)) <= 200_000


def test_every_script_that_is_imported_is_served(http: TestClient) -> None:
    for name in SCRIPTS:
        for wanted in re.findall(r"from \"(\.[^\"]+)\"", (PAGE / name).read_text()):
            path = (PAGE / name).parent.joinpath(wanted).resolve().relative_to(PAGE.resolve()).as_posix()
            assert http.get(f"/web/{path}").status_code == 200, (name, wanted)


def test_nothing_else_is_served(http: TestClient) -> None:
    for path in ("/web/../app.py", "/web/%2e%2e/app.py", "/web/reference", "/web/no.js", "/docs/x.js"):
        assert http.get(path).status_code == 404, path


def test_script_names_every_end() -> None:
    (ends,) = re.findall(r"const ENDS = \{(.*?)\};", SCRIPT, re.DOTALL)
    assert set(re.findall(r"([A-Z_]+):", ends)) == {status for status in Status if status.is_final}
