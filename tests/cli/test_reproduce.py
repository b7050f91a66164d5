"""`dissensus reproduce`: a paper by its name, its claims as text or JSON, and errors in one line."""

from __future__ import annotations

import json
import os
import pty
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import RawIOBase
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dissensus.cli.main import app
from dissensus.papers.catalogue import PAPERS
from dissensus.papers.outcomes import VERDICTS
from dissensus.papers.paper import Part
from dissensus.papers.record import RECORD, read_record
from tests.facts import states
from tests.papers.tiny_paper import CLAIMS, counted, tiny_paper


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small paper in the catalogue, most of whose claims cannot be tested; and where it goes."""
    part = Part(name="labels", work=counted(tmp_path / "calls"))
    monkeypatch.setitem(PAPERS, "tiny2026", tiny_paper(part))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str, str]:
    ended = CliRunner().invoke(app, ["reproduce", *words])
    return ended.exit_code, ended.stdout, ended.stderr


def test_without_a_name_all_papers_are_listed():
    code, shown, _ = run()
    assert code == 0
    for name, paper in PAPERS.items():
        assert f"{name}: {len(paper.claims)} claims. {paper.citation}" in shown
    code, shown, _ = run("--json")
    assert code == 0 and list(json.loads(shown)) == list(PAPERS)


def test_json_is_the_fixed_interface_and_nothing_else_and_ends_with_0_whatever_came_out(tiny):
    code, shown, _ = run("tiny2026", "--scale", "quick", "--json")
    assert code == 0
    record = json.loads(shown)
    assert list(record) == ["paper", "scale", "claims"]
    assert (record["paper"], record["scale"]) == ("tiny2026", "quick")
    assert [list(row) for row in record["claims"]] == [["claim", "source", "published", "ours", "verdict"]] * len(
        CLAIMS
    )
    assert [row["verdict"] for row in record["claims"]] == ["cannot be tested here", "equal", "cannot be tested here"]
    assert all(row["verdict"] in VERDICTS for row in record["claims"])


def test_record_and_page_lie_in_a_folder_named_after_paper_and_scale_or_where_asked(tiny):
    assert run("tiny2026")[0] == 0
    assert read_record(tiny / "reproduce-tiny2026-quick" / RECORD)["scale"] == "quick"
    code, _, notices = run("tiny2026", "--scale", "laptop", "-o", "here")
    assert code == 0 and "here/page.md" in notices
    assert read_record(tiny / "here" / RECORD)["scale"] == "laptop"
    assert (tiny / "here" / "figures" / "tiny2026-lines.svg").exists()


def test_the_answer_and_the_main_claims_are_printed(tiny):
    code, shown, _ = run("tiny2026")
    conclusion = read_record(tiny / "reproduce-tiny2026-quick" / RECORD)["conclusion"]
    words = " ".join(shown.split())
    assert code == 0 and all(text in words for text in conclusion.values())
    assert CLAIMS[0].claim.split()[0] in words
    assert states(shown.splitlines()[-1], "tiny2026", "3 claims", "1 equal", "2 cannot be tested here")


def shown_at(columns: int, words: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal of so many columns shows of a verb of this process."""
    terminal, other_side = pty.openpty()
    monkeypatch.setenv("COLUMNS", str(columns))
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        with os.fdopen(other_side, "w") as stream, redirect_stdout(stream):
            reader = ThreadPoolExecutor(1).submit(_until_closed, screen)
            app(["reproduce", *words], standalone_mode=False)
        return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", reader.result().decode()).replace("\r\n", "\n")


def _until_closed(screen: RawIOBase) -> bytes:
    shown = b""
    while True:
        try:
            shown += screen.read(65536) or b""
        except OSError:  # how Linux says that the other side is closed
            return shown


def test_in_a_terminal_of_80_columns_no_line_is_longer(tiny, monkeypatch):
    shown = shown_at(80, ["tiny2026"], monkeypatch)
    assert max(map(len, shown.splitlines())) <= 80 and "They do." in shown


def test_an_unknown_paper_is_one_line_with_the_known_ones():
    code, shown, error = run("singh")
    assert code == 2 and not shown and error.count("\n") == 1
    assert states(error, "paper", "'singh'", ", ".join(PAPERS))


def test_an_unknown_scale_is_one_line_with_the_known_ones():
    code, shown, error = run("singh2025", "--scale", "huge")
    assert code == 2 and not shown and error.count("\n") == 1
    assert "'huge'" in error and "quick, laptop, overnight, full" in error


def test_an_unknown_engine_is_one_line_with_the_known_ones(tiny):
    code, shown, error = run("tiny2026", "--engine", "abacus")
    assert code == 2 and not shown and error.count("\n") == 1
    assert "abacus" in error and "local" in error


@pytest.mark.parametrize("name", list(PAPERS))
def test_data_that_are_not_there_are_one_line_with_files_and_the_way_out(tmp_path, monkeypatch, name):
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path / "nothing"))
    code, shown, error = run(name, "-o", str(tmp_path / "made"))
    assert code == 2 and not shown and error.count("\n") == 1
    assert "needs" in error and "DISSENSUS_DATA" in error and not (tmp_path / "made").exists()


def test_parts_named_by_several_options_add_up(tiny, monkeypatch):
    parts = [Part(name=name, work=counted(tiny / "calls")) for name in ("labels", "a", "b", "c")]
    monkeypatch.setitem(PAPERS, "tiny2026", tiny_paper(*parts))
    assert run("tiny2026", "--parts", "labels,a", "--parts", "b")[0] == 0
    assert (tiny / "calls").read_text(encoding="utf-8").split() == ["labels", "a", "b"]


def test_help_says_what_the_scales_are_and_that_it_ends_with_0():
    code, shown, _ = run("--help")
    words = " ".join(re.sub(r"[│╭╰─╮╯]", " ", shown).split())
    assert code == 0 and "Exits 0" in words
    for word in ("quick: about a minute", "laptop: about an hour", "full: the paper's own size"):
        assert word in words
