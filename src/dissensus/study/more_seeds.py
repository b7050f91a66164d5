"""More seeds for a study that is there: the one value in its file is edited, and everything else stays as it was."""

from __future__ import annotations

import re
from pathlib import Path

from dissensus.files.toml import parse_toml
from dissensus.files.whole_files import write_text
from dissensus.study.read_spec import read_study, study_of
from dissensus.study.spec import Study

_SEEDS = re.compile(r"""^[ \t]*(?:seeds|"seeds"|'seeds')[ \t]*=[ \t]*""", re.MULTILINE)
_COUNT = re.compile(r"\d[\d_]*")
_COMMENT = re.compile(r"#[^\n]*")
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def add_seeds(path: str | Path, count: int) -> tuple[int, ...]:
    """Add so many seeds to the file of a study, those after its largest; the seeds that were added."""
    place = Path(path)
    if count < 1:
        raise ValueError(f"{count} more seeds; expected 1 or more")
    study = read_study(place)
    first = max(study.seeds) + 1
    added = tuple(range(first, first + count))
    text = study.text.text
    edited = _edited(text, study, added)
    values, lines = parse_toml(edited, str(place))
    values.setdefault("name", study.name)
    seeds = study_of(values, lines).seeds
    if seeds != study.seeds + added:
        raise ValueError(
            f"{place}: its seeds are not written in a way that can be edited here; write "
            f"seeds = {list(study.seeds + added)} yourself"
        )
    write_text(edited, place)
    return added


def _edited(text: str, study: Study, added: tuple[int, ...]) -> str:
    """The text with the new seeds in it, as far as it is understood."""
    header = _HEADER.search(text)
    top = len(text) if header is None else header.start()
    key = _SEEDS.search(text, 0, top)
    if key is None:  # the default
        return f"{text[:top]}seeds = {len(study.seeds) + len(added)}\n\n{text[top:]}"
    if number := _COUNT.match(text, key.end()):
        return f"{text[: number.start()]}{len(study.seeds) + len(added)}{text[number.end() :]}"
    end = _end_of_last_number(text, key.end())
    return f"{text[:end]}, {', '.join(map(str, added))}{text[end:]}"


def _end_of_last_number(text: str, start: int) -> int:
    """Where the last number of a list ends, whatever comments stand between its lines."""
    comments = [(found.start(), found.end()) for found in _COMMENT.finditer(text, start)]

    def inside(place: int) -> bool:
        return any(begin <= place < end for begin, end in comments)

    close = next((place for place in range(start, len(text)) if text[place] == "]" and not inside(place)), len(text))
    ends = [number.end() for number in _COUNT.finditer(text, start, close) if not inside(number.start())]
    return ends[-1] if ends else start
