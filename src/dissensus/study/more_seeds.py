"""More seeds for an existing study: one value in its file is edited, and everything else stays."""

from __future__ import annotations

import re
from pathlib import Path

from dissensus.files.toml import parse_toml
from dissensus.files.whole_files import write_text
from dissensus.labels.refusals import Refusal
from dissensus.study.read_spec import read_study, study_of
from dissensus.study.spec import Study

_SEEDS = re.compile(r"""^[ \t]*(?:seeds|"seeds"|'seeds')[ \t]*=[ \t]*""", re.MULTILINE)
_COUNT = re.compile(r"\d[\d_]*")
_COMMENT = re.compile(r"#[^\n]*")
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def add_seeds(path: str | Path, count: int) -> tuple[int, ...]:
    """Add seeds to the file of a study, from its largest seed on.

    Parameters
    ----------
    path  : the study's file; only its seeds are edited
    count : number of seeds to add

    Returns
    -------
    the new seeds

    Examples
    --------
    >>> from pathlib import Path
    >>> init_study(Path("study.toml"))
    >>> add_seeds("study.toml", 2)
    (8, 9)
    """
    place = Path(path)
    if count < 1:
        raise Refusal(f"{count} seeds to add; expected 1 or more")
    study = read_study(place)
    first = max(study.seeds) + 1
    added = tuple(range(first, first + count))
    text = study.text.text
    edited = _edit(text, study, added)
    values, lines = parse_toml(edited, str(place))
    values.setdefault("name", study.name)
    seeds = study_of(values, lines).seeds
    if seeds != study.seeds + added:
        raise ValueError(
            f"{place}: its seeds are written in a form that cannot be edited automatically; write "
            f"seeds = {list(study.seeds + added)} yourself"
        )
    write_text(edited, place)
    return added


def _edit(text: str, study: Study, added: tuple[int, ...]) -> str:
    """Put the new seeds into the text."""
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
    """Find the end of the last number of a list, past any comments."""
    comments = [(found.start(), found.end()) for found in _COMMENT.finditer(text, start)]

    def is_in_comment(place: int) -> bool:
        return any(begin <= place < end for begin, end in comments)

    brackets = (place for place in range(start, len(text)) if text[place] == "]" and not is_in_comment(place))
    close = next(brackets, len(text))
    ends = [number.end() for number in _COUNT.finditer(text, start, close) if not is_in_comment(number.start())]
    return ends[-1] if ends else start
