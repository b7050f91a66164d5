"""`--contents`: what the items are, on the pages of describe, evaluate and annotators."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.cli.commands import refused, run
from tests.facts import states

ROWS = [
    ("a.png", "ann", "cat"),
    ("a.png", "bo", "dog"),
    ("b.png", "ann", "cat"),
    ("b.png", "bo", "cat"),
    ("c.png", "ann", "dog"),
    ("c.png", "bo", "cat"),
]


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n" + "".join(f"{','.join(row)}\n" for row in ROWS))
    return path


def picture_names(page):
    """The text that stands for each picture of a page."""
    return re.findall(r'<img[^>]* alt="([^"]*)"', page)


def test_a_folder_of_images(votes, tmp_path):
    folder, page = tmp_path / "pictures", tmp_path / "page.html"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        Image.fromarray(np.full((40, 60, 3), 200, dtype=np.uint8)).save(folder / name)
    for verb in ("describe", "annotators"):
        done = run(verb, votes, "--html", page, "--contents", folder)
        text = page.read_text()
        assert "a.png" in [alt.split()[-1] for alt in picture_names(text)], verb
        assert "data:image/png;base64," in text, verb
        assert states(done.stderr, folder, "2 of 3 items")


def test_a_table_of_texts(votes, tmp_path):
    texts, page = tmp_path / "texts.csv", tmp_path / "page.html"
    texts.write_text("item,text\na.png,a cat & <b>a dog</b>\nb.png,only a cat\nc.png,who knows\n")
    run("describe", votes, "--html", page, "--contents", texts)
    assert "a cat &amp; &lt;b&gt;a dog&lt;/b&gt;" in page.read_text()


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
    assert len(picture_names(page.read_text())) == 10
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
    page = tmp_path / "p.html"
    assert states(refused(verb, votes, "--html", page, "--contents", texts), texts, "no item", "x1", "a.png")
    assert states(refused(verb, votes, "--contents", texts), "--contents", "--html FILE")
    nowhere = refused(verb, votes, "--html", page, "--contents", "nowhere")
    assert states(nowhere, "nowhere:", "no such file", "no data set")


def test_pages_are_made_without_torch(votes, tmp_path):
    texts = tmp_path / "texts.csv"
    texts.write_text("item,text\na.png,one\nb.png,two\nc.png,three\n")
    code = (
        "import sys; from dissensus.cli.main import app\n"
        f"app(['describe', {str(votes)!r}, '--html', {str(tmp_path / 'p.html')!r}, '--contents', {str(texts)!r}], "
        "standalone_mode=False)\nassert 'torch' not in sys.modules and 'PIL' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
