"""`--contents`: what the items are, on the pages of describe, evaluate and annotators."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from dissensus.cli.main import app

ROWS = [
    ("a.png", "ann", "cat"),
    ("a.png", "bo", "dog"),
    ("b.png", "ann", "cat"),
    ("b.png", "bo", "cat"),
    ("c.png", "ann", "dog"),
    ("c.png", "bo", "cat"),
]


def run(*words, code: int = 0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n" + "".join(f"{','.join(row)}\n" for row in ROWS))
    return path


def test_a_folder_of_images(votes, tmp_path):
    folder, page = tmp_path / "pictures", tmp_path / "page.html"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        Image.fromarray(np.full((40, 60, 3), 200, dtype=np.uint8)).save(folder / name)
    for verb in ("describe", "annotators"):
        done = run(verb, votes, "--html", page, "--contents", folder)
        text = page.read_text()
        assert 'alt="picture of item a.png"' in text and "data:image/png;base64," in text, verb
        assert f"{folder}: shows 2 of 3 items" in done.stderr.replace("\n", "")


def test_a_table_of_texts(votes, tmp_path):
    texts, page = tmp_path / "texts.csv", tmp_path / "page.html"
    texts.write_text("item,text\na.png,a cat & a dog\nb.png,<b>only</b> a cat\nc.png,who knows\n")
    run("describe", votes, "--html", page, "--contents", texts)
    assert "a cat &amp; a dog" in page.read_text() and "&lt;b&gt;only&lt;/b&gt;" in page.read_text()


def test_a_label_file_brings_its_text_column(tmp_path):
    path, page = tmp_path / "votes.csv", tmp_path / "page.html"
    path.write_text("item,annotator,label,comment\n" + "".join(f"{','.join(row)},about {row[0]}\n" for row in ROWS))
    done = run("describe", path, "--html", page)
    assert "about a.png" in page.read_text() and "took: text = comment" in done.stderr
    run("evaluate", path, path, "--html", page, "--no-ceiling", "--replicates", 10)
    assert "about c.png" in page.read_text()


def test_a_data_set_brings_its_own_pictures(tmp_path):
    page = tmp_path / "page.html"
    run("describe", "digits", "--html", page)
    assert page.read_text().count('alt="picture of item ') == 10
    run("describe", "anesthesia", "--html", page)
    assert "<img" not in page.read_text()


def test_pairs_of_texts_stand_below_each_other(loaded, tmp_path):
    """ChaosNLI has a premise and a hypothesis for each item."""
    items, page = loaded("chaosnli-snli").items, tmp_path / "page.html"
    run("describe", "chaosnli-snli", "--html", page)
    shown = re.findall(r'<span class="text" dir="auto">([^<]*)</span>', page.read_text())
    known = set(items["premise"].to_pylist()) | set(items["hypothesis"].to_pylist())
    assert len(shown) == 20 and sum(text in known for text in shown) > 15  # others have letters that are escaped


@pytest.mark.parametrize("verb", ["describe", "annotators"])
def test_contents_of_other_items_or_without_a_page_are_refused(votes, tmp_path, verb):
    texts = tmp_path / "texts.csv"
    texts.write_text("item,text\nx1,hello\nx2,there\n")
    said = run(verb, votes, "--html", tmp_path / "p.html", "--contents", texts, code=2).stderr
    assert "has no item of" in said and "such as x1" in said and "such as a.png" in said
    assert "add --html FILE" in run(verb, votes, "--contents", texts, code=2).stderr
    nowhere = run(verb, votes, "--html", tmp_path / "p.html", "--contents", "nowhere", code=2).stderr
    assert "nowhere: no such file or folder, and no data set" in nowhere


def test_pages_are_made_without_torch(votes, tmp_path):
    texts = tmp_path / "texts.csv"
    texts.write_text("item,text\na.png,one\nb.png,two\nc.png,three\n")
    code = (
        "import sys; from dissensus.cli.main import app\n"
        f"app(['describe', {str(votes)!r}, '--html', {str(tmp_path / 'p.html')!r}, '--contents', {str(texts)!r}], "
        "standalone_mode=False)\nassert 'torch' not in sys.modules and 'PIL' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
