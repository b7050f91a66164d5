"""The pages say what is so: their code runs and prints what they show, their commands parse, their links lead on.

A Python block is run, and a `text` block right after it is what it prints. In a `console` block, a line that starts
with `$ dissensus` is run, and the lines below it are its output as far as they are shown ("…" cuts it). A comment
above a block makes an exception: `<!-- needs NAME ... -->` runs it only where these data sets are present,
`<!-- parsed only -->` never runs it, `<!-- file PATH -->` makes the block that file.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dissensus
from dissensus.cli.main import app
from tests.facts import states

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("decisions/*.md"))]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_DECIMAL = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class Block:
    """A block of a page: its kind, its text, what it prints if that is shown, and the comment above it."""

    page: Path
    line: int
    kind: str
    body: str
    printed: str | None
    note: str

    @property
    def needs(self) -> list[str]:
        return self.note.split()[1:] if self.note.startswith("needs ") else []


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text[: found.start("body")].count("\n"),
            found["kind"],
            found["body"],
            found["printed"],
            found["note"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> Iterator[tuple[list[str], str]]:
    """The `dissensus` commands of a console block: arguments, and the output that is shown (perhaps none)."""
    for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        words = shlex.split(command)
        if words[0] == "dissensus":
            yield words[1:], output


ALL_COMMANDS = [
    pytest.param(words, id=f"{page.name}: {' '.join(words)}")
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
    for block in blocks(page)
    if block.kind == "console"
    for words, _ in commands(block)
]


def run_page(page: Path, data: Path, present: set[str]) -> int:
    """Run the blocks of a page in order, in one namespace and in the current folder; returns how many were run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for block in blocks(page):
        if block.note == "parsed only" or not present.issuperset(block.needs):
            continue
        if block.note.startswith("file "):
            path = Path(block.note.removeprefix("file "))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.kind == "python":
            printed = io.StringIO()
            code = compile("\n" * block.line + block.body, str(page), "exec")  # so that a traceback has the page's line
            with redirect_stdout(printed):
                exec(code, namespace)
            if block.printed is not None:
                assert_same(tidy(printed.getvalue()), tidy(block.printed))
        elif block.kind == "console" and (block.needs or not present):  # the others ran without the data
            for words, shown in commands(block):
                run_command(words, shown, data)
        count += block.kind in ("python", "console")
    return count


def run_command(words: list[str], shown: str, data: Path) -> None:
    """Run a command in this process, which has loaded everything; tests/cli starts real ones."""
    done = CliRunner().invoke(app, words, env={"DISSENSUS_DATA": str(data)})
    refused = "error:" in shown
    assert done.exit_code == (2 if refused else 0), done.output
    wanted, found = tidy(shown), tidy(done.stderr if refused else done.stdout)
    if "…" in wanted:
        wanted = wanted[: wanted.index("…")]
        found = found[: len(wanted)]
    if wanted:
        assert_same(found, wanted)


def assert_same(printed: list[str], shown: list[str]) -> None:
    """Equal but for the last digit of a decimal number: processors add up in different orders, and round apart."""
    assert [_DECIMAL.sub("#", line) for line in printed] == [_DECIMAL.sub("#", line) for line in shown]
    for line, other in zip(printed, shown, strict=True):
        for number, wanted in zip(_DECIMAL.findall(line), _DECIMAL.findall(other), strict=True):
            one_unit = 10.0 ** -len(wanted.partition(".")[2])
            assert abs(float(number) - float(wanted)) < 1.01 * one_unit, f"printed: {line}\nshown:   {other}"


def tidy(text: str) -> list[str]:
    """Lines without the spaces at their ends, and without blank lines."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    run_page(page, tmp_path, present=set())


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.needs for block in blocks(page))], ids=lambda page: page.name
)
def test_numbers_from_public_data_are_what_the_page_shows(page, tmp_path, monkeypatch, data_folder, loaded):
    needed = {name for block in blocks(page) for name in block.needs}
    for name in needed:
        loaded(name)  # skips where it is missing
    folder = data_folder.resolve()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISSENSUS_DATA", str(folder))
    assert run_page(page, folder, present=needed) > 0


@pytest.mark.parametrize("words", ALL_COMMANDS)
def test_every_command_of_the_pages_parses(words):
    from typer.main import get_command

    parse(get_command(app), words, None)


def parse(command: Any, words: list[str], parent: Any) -> None:
    """Parse without running: options and arguments of each group and of the command at its end."""
    context = command.make_context(command.name, list(words), parent=parent)
    if hasattr(command, "resolve_command") and words and not words[0].startswith("-"):
        _, below, rest = command.resolve_command(context, list(words))
        parse(below, rest, context)


def test_a_command_that_does_not_exist_does_not_parse():
    """The parser above would be worth nothing if it accepted everything."""
    from typer.main import get_command

    for words, kind, fact in (
        (["describe"], "MissingParameter", "file"),
        (["describe", "a.csv", "--nonsense"], "NoSuchOption", "--nonsense"),
        (["data", "fetch"], "UsageError", "fetch"),
        (["invent"], "UsageError", "'invent'"),
    ):
        with pytest.raises(Exception) as caught:  # typer has its own copy of the classes of click
            parse(get_command(app), words, None)
        assert type(caught.value).__name__ == kind and states(str(caught.value), fact)


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name} links to {target}; there are {sorted(anchors(there))}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in navigation


def test_the_page_of_data_sets_has_each_with_its_licence():
    from dissensus.datasets import DATASETS

    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    rows = {cells[1].strip(" `"): cells for cells in (line.split("|") for line in page.splitlines()) if len(cells) == 7}
    assert set(DATASETS) == {name for name in rows if name not in ("name", "---")}
    for name, dataset in DATASETS.items():
        _, _, what, _, licence, get, _ = (cell.strip() for cell in rows[name])
        assert licence == dataset.licence
        assert dataset.title in what and f"{dataset.facts.items:,}" in what
        assert (get == f"`data get {name}`") == bool(dataset.downloads)
    assert page.splitlines()[2].startswith(f"{len(DATASETS)}, ")
    assert f"{len(DATASETS)} public data sets" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_citation_file_has_what_the_format_demands():
    """Citation File Format 1.2.0: cff-version, message, title and authors are required."""
    cited = citation()
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software" and cited["license"] == "Apache-2.0"
    assert cited["version"] == dissensus.__version__
    assert cited["message"] and cited["title"] and cited["authors"]


def citation() -> dict[str, Any]:
    """The citation file by YAML where there is a reader of it, else its top-level lines."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    try:
        import yaml
    except ImportError:
        pairs = re.findall(r"^([a-z-]+):[ \t]*(.*(?:\n[ \t-].*)*)$", text, flags=re.MULTILINE)
        return {key: value.strip(' "') for key, value in pairs}
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded
