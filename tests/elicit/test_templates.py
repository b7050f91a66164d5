"""The pages that the server fills in."""

from __future__ import annotations

from html import escape

import pytest

from dissensus.elicit.templates import PAGES, templates


@pytest.mark.parametrize("page", sorted(path.name for path in PAGES.glob("*.html") if path.name != "base.html"))
def test_every_page_has_the_head_of_the_base_page_and_escapes_the_title(page):
    html = templates.get_template(page).render(title="Cats & dogs", up="../")
    head, body = html.split("</head>")
    assert head.startswith('<!doctype html>\n<html lang="en">') and body.rstrip().endswith("</body>\n</html>")
    assert head.count("<title>") == 1 and f"{escape('Cats & dogs')}</title>" in head
    for part in ('<meta charset="utf-8">', 'href="../static/icon.svg"', 'href="../static/elicit.css"'):
        assert head.count(part) == 1
