"""How people leave a survey: the code and the link for each outcome."""

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
WAIT = 20  # seconds until the redirect; WCAG 2.2.1 requires at least 20 to stop it


@dataclass(frozen=True)
class End:
    """The settings of an outcome in survey.toml; {code} in `redirect` stands for the code."""

    code: str = ""
    redirect: str = ""


class Exit(NamedTuple):
    """What a person sees at the end.

    code       the code, or ""
    redirect   the link back, or ""
    automatic  whether the page follows the link by itself, which it does only if the link includes the code
    """

    code: str
    redirect: str
    automatic: bool


def read_ends(tables: dict[str, Any], text: TomlText, *, source: str, code: str, redirect: str) -> Mapping[str, End]:
    """Read the table [ends], with every outcome; `code` and `redirect` of [people] apply to completed surveys."""
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
    """Return what a person sees at this outcome; `own_code` is the person's code if the survey has no common one.

    On Prolific, the link follows from the code, and a link with a code sets the code.
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
    """Describe what people see at each of these outcomes."""
    return {
        outcome: _describe_end(source, outcome, make_exit(source, outcome, ends[outcome], OWN)) for outcome in outcomes
    }


def notes_on_ends(source: str, ends: Mapping[str, End], outcomes: list[str]) -> Iterator[str]:
    """Yield notes about codes that may prevent people from being paid."""
    codes = {outcome: ends[outcome].code or _code_in(ends[outcome].redirect) for outcome in outcomes}
    if source == "prolific":
        if not codes["completed"]:
            yield (
                "ends.completed has no code, so Prolific cannot pay people: "
                "set ends.completed.code to the completion code of your Prolific study"
            )
        without = [f"ends.{outcome}" for outcome in outcomes[1:] if not codes[outcome] and not ends[outcome].redirect]
        if without:
            yield (
                f"{' and '.join(without)} {'has' if len(without) == 1 else 'have'} no code: the page asks these people "
                "to stop without completing on Prolific"
            )
    for outcome in outcomes[1:]:
        if codes[outcome] and codes[outcome] == codes["completed"]:
            yield f"ends.{outcome} has the same code as ends.completed, so the code does not tell them apart"


OWN = "a personal code"


def _describe_end(source: str, outcome: str, way: Exit) -> str:
    code = f"the code {way.code}" if way.code and way.code != OWN else way.code or "no code"
    link = way.redirect.replace(quote(OWN, safe=""), "{code}")
    if way.automatic:
        return f"{code}, redirect after {WAIT} seconds to {link}"
    if source == "prolific" and outcome != "completed":
        return f"{code}, link to {link} to stop without completing"
    if source == "mturk":
        return f"{code}, {'button to submit to MTurk' if outcome == 'completed' else 'request to return the HIT'}"
    return f"{code}, {f'link to {link}' if link else 'no link'}"


def _check(outcome: str, end: End, source: str) -> None:
    where = f"ends.{outcome}"
    if end.redirect and not end.redirect.startswith(("https://", "http://")):
        raise ValueError(
            f"{where}.redirect (or people.redirect) is {end.redirect!r}; expected an address with https://"
        )
    carried = _code_in(end.redirect)
    if source == "prolific" and end.code and carried and carried != end.code:
        raise ValueError(
            f"{where}.code is {end.code!r}, but its redirect has the code {carried!r}; keep the code that Prolific "
            "shows you"
        )
    if "{code}" in end.redirect and outcome != "completed" and not end.code:
        raise ValueError(
            f"{where}.redirect has {{code}}, but {where}.code is empty; only `completed` has personal codes"
        )


def _code_in(redirect: str) -> str:
    """The code in a completion link of Prolific, or ""."""
    code = parse_qs(urlsplit(redirect).query).get("cc", [""])[0]
    return "" if code == "{code}" else code
