"""How people leave a survey: for each outcome the code they are shown and the link that takes them back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from dissensus.files.toml import TomlText

OUTCOMES = {"completed": "done", "screened_out": "failed", "declined": "declined", "full": "full"}
OUTCOME_OF = {stage: outcome for outcome, stage in OUTCOMES.items()}
PROLIFIC = "https://app.prolific.com/submissions"
COMPLETE = f"{PROLIFIC}/complete"
WAIT = 20  # seconds until people are taken back; WCAG 2.2.1 wants as many for stopping it


@dataclass(frozen=True)
class End:
    """What survey.toml says of one outcome; in `redirect`, {code} is the code."""

    code: str = ""
    redirect: str = ""


class Exit(NamedTuple):
    """What somebody sees at the end.

    code       to be shown, or nothing
    redirect   the link that takes them back, or nothing
    automatic  whether they are taken there by themselves: only where the link says all that a code would
    """

    code: str
    redirect: str
    automatic: bool


def read_ends(tables: dict[str, Any], text: TomlText, *, source: str, code: str, redirect: str) -> Mapping[str, End]:
    """The table [ends] with every outcome in it; `code` and `redirect` are those of [people], for whoever completes."""
    table = tables.get("ends", {})
    if not isinstance(table, dict):
        text.refuse_value(("ends",), table, f"a table with {', '.join(OUTCOMES)}")
    text.check_keys(table, OUTCOMES, ("ends",))
    ends = {outcome: text.read_record(End, table.get(outcome, {}), ("ends", outcome)) for outcome in OUTCOMES}
    for name, old in (("code", code), ("redirect", redirect)):
        new = getattr(ends["completed"], name)
        if old and new and old != new:
            former = "completion_code" if name == "code" else name
            raise ValueError(f"people.{former} is {old!r}, but ends.completed.{name} is {new!r}; keep one of them")
    completed = ends["completed"]
    ends["completed"] = End(completed.code or code, completed.redirect or redirect)
    for outcome, end in ends.items():
        with text.at(("ends", outcome)):
            _check(outcome, end, source)
    return ends


def make_exit(source: str, outcome: str, end: End, own_code: str) -> Exit:
    """What somebody sees at this outcome; `own_code` is for whoever completes a survey that has no code for everybody.

    On Prolific a code makes the link, and a link with a code says which it is.
    """
    known = end.code or _code_in(end.redirect)
    code = known or (own_code if outcome == "completed" else "")
    link = end.redirect.replace("{code}", quote(code, safe=""))
    if source == "prolific":
        if not link and not known:
            return Exit(code, PROLIFIC, automatic=False)
        link = link or COMPLETE
        if known and not _code_in(link):
            link += f"{'&' if '?' in link else '?'}cc={quote(known, safe='')}"
    return Exit(code, link, automatic=bool(link) and (not code or quote(code, safe="") in link))


def describe_ends(source: str, ends: Mapping[str, End], outcomes: list[str]) -> dict[str, str]:
    """What people will see at each of these outcomes."""
    return {
        outcome: _describe_end(source, outcome, make_exit(source, outcome, ends[outcome], OWN)) for outcome in outcomes
    }


def notes_on_ends(source: str, ends: Mapping[str, End], outcomes: list[str]) -> Iterator[str]:
    """What to think about before people are paid by these codes."""
    codes = {outcome: ends[outcome].code or _code_in(ends[outcome].redirect) for outcome in outcomes}
    if source == "prolific":
        if not codes["completed"]:
            yield (
                "Prolific pays by a code that it knows, and ends.completed has none: "
                "take the completion code of your Prolific study as ends.completed.code"
            )
        without = [f"ends.{outcome}" for outcome in outcomes[1:] if not codes[outcome] and not ends[outcome].redirect]
        if without:
            yield (
                f"{' and '.join(without)} {'has' if len(without) == 1 else 'have'} no code: these people are asked "
                "to stop without completing on Prolific"
            )
    for outcome in outcomes[1:]:
        if codes[outcome] and codes[outcome] == codes["completed"]:
            yield f"ends.{outcome} has the code of ends.completed, so nobody can tell them apart by it"


OWN = "a code of their own"


def _describe_end(source: str, outcome: str, way: Exit) -> str:
    code = f"the code {way.code}" if way.code and way.code != OWN else way.code or "no code"
    link = way.redirect.replace(quote(OWN, safe=""), "{code}")
    if way.automatic:
        return f"{code}, and after {WAIT} seconds back to {link}"
    if source == "prolific" and outcome != "completed":
        return f"{code}, and a link to {link}, to stop without completing"
    if source == "mturk":
        return f"{code}, and {'a button that submits to MTurk' if outcome == 'completed' else 'to return the HIT'}"
    return f"{code}, and {f'a link to {link}' if link else 'no link'}"


def _check(outcome: str, end: End, source: str) -> None:
    where = f"ends.{outcome}"
    if end.redirect and not end.redirect.startswith(("https://", "http://")):
        raise ValueError(
            f"{where}.redirect (or people.redirect) is {end.redirect!r}; expected an address that starts with https://"
        )
    carried = _code_in(end.redirect)
    if source == "prolific" and end.code and carried and carried != end.code:
        raise ValueError(
            f"{where}.code is {end.code!r}, but its redirect carries cc={carried}; keep the one that Prolific shows you"
        )
    if "{code}" in end.redirect and outcome != "completed" and not end.code:
        raise ValueError(
            f"{where}.redirect has {{code}}, but {where}.code is empty; only `completed` has codes of its own"
        )


def _code_in(redirect: str) -> str:
    """The code that a completion link of Prolific carries, or nothing."""
    code = parse_qs(urlsplit(redirect).query).get("cc", [""])[0]
    return "" if code == "{code}" else code
