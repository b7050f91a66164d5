"""What is printed in a narrow terminal, and names that look like markup: no digit is cut off, no name is changed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import tempfile
import termios
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import read, share, write
from dissensus.cli.main import app
from dissensus.labels import smooth
from tests.forks import Command

ODD = ("[/bob]", "[red]ann", "[bold]", ":smile:")


def shown_in_terminal(words: list[str], folder: Path, columns: int = 40, **environment: str) -> str:
    """What a terminal of so many columns shows."""
    terminal, other_side = pty.openpty()
    fcntl.ioctl(other_side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    settings |= {"TERM": "xterm", **environment}  # rich takes a dumb one to have 80 columns
    shown = b""
    with tempfile.TemporaryFile() as errors, os.fdopen(terminal, "rb", buffering=0) as screen:
        process = Command(words, folder, settings, [other_side, other_side, errors.fileno()])
        os.close(other_side)
        while True:
            try:
                part = screen.read(65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            shown += part
        code = process.wait()
        errors.seek(0)
        assert code == 0, errors.read().decode()
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", shown.decode()).replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of people with odd names, and two models."""
    at = tmp_path_factory.mktemp("narrow")
    rng = np.random.default_rng(0)
    rows = "".join(f"photo {i},{who},[i]{rng.choice(['cat', 'dog', 'elk'])}\n" for i in range(60) for who in ODD)
    (at / "votes.csv").write_text("item,annotator,label\n" + rows)
    model = smooth(share(read(at / "votes.csv", say=lambda notice: None)), 0.2)
    write(model, at / "[blue]first.npz")
    write(smooth(model, 0.5), at / "other.npz")
    return at


VERBS = {
    "annotators": ["annotators", "votes.csv"],
    "evaluate": ["evaluate", "[blue]first.npz", "votes.csv", "--replicates", "10"],
    "compare": ["evaluate", "[blue]first.npz", "votes.csv", "--compare", "[/x]=other.npz", "--replicates", "10"],
    "describe": ["describe", "votes.csv"],
    "agreement": ["agreement", "votes.csv"],
    "review": ["review", "votes.csv"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_digit_is_cut_off_in_a_terminal_of_40_columns(folder, verb):
    shown = shown_in_terminal(VERBS[verb], folder)
    assert re.search(r"\d\.\d{2}", shown) and not re.search(r"\d…", shown), shown


def test_a_rehearsal_keeps_its_digits_in_a_terminal_of_40_columns(tmp_path):
    assert CliRunner().invoke(app, ["elicit", "init", str(tmp_path / "survey"), "--title", "Try"]).exit_code == 0
    shown = shown_in_terminal(
        ["elicit", "rehearse", "survey", "--annotators", "2", "--at-once", "2"], tmp_path, columns=30
    )
    assert "answers" in shown and "…" not in shown, shown


def test_names_that_look_like_markup_are_printed_as_they_are(folder):
    crowd = shown_in_terminal(VERBS["annotators"], folder, columns=200)
    assert {line.split()[0] for line in crowd.splitlines() if line.strip()} >= set(ODD)
    model = shown_in_terminal(VERBS["evaluate"], folder, columns=200)
    assert model.startswith("[blue]first ") and " [blue]first " in model.partition("\n")[2]
    both = shown_in_terminal(VERBS["compare"], folder, columns=200)
    assert "\n[/x] " in both and re.search(r"\n\[/x\] *\n", both) and re.search(r"\n\S.* \[blue\]first\n", both)


def test_an_infinite_score_has_the_sign_that_it_has_on_a_page(tmp_path):
    (tmp_path / "votes.csv").write_text(
        "item,annotator,label\n" + "".join(f"{i},{who},{'ab'[(i + who) % 2]}\n" for i in range(9) for who in range(3))
    )
    model = np.eye(2)[np.arange(9) % 2]
    np.savez(tmp_path / "sure.npz", probs=model, items=np.arange(9).astype(str), classes=np.array(["a", "b"]))
    words = ["evaluate", "sure.npz", "votes.csv", "--replicates", "10", "--no-ceiling"]
    shown = shown_in_terminal(words, tmp_path)
    assert "∞" in shown and "infinite" not in shown


def bars(shown: str) -> list[str]:
    return re.findall(r"^0\.\d-[01]\.\d .*$", shown, flags=re.MULTILINE)


def test_bars_of_the_histogram_fit_the_terminal(folder):
    for columns in (25, 30, 40, 100):
        drawn = bars(shown_in_terminal(VERBS["describe"], folder, columns=columns))
        assert len(drawn) == 10 and max(map(len, drawn)) <= columns
        assert max(line.count("█") for line in drawn) == min(40, columns - 12)  # the largest count has two digits


def test_bars_are_drawn_with_what_the_terminal_can_show(folder):
    drawn = bars(shown_in_terminal(VERBS["describe"], folder, columns=40, PYTHONIOENCODING="ascii"))
    assert len(drawn) == 10 and max(line.count("#") for line in drawn) == 28 and "?" not in "".join(drawn)
