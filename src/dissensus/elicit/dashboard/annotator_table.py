"""The table of annotators: answers, times, checks and repeats of each, with flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dissensus.elicit.dashboard.watch import Watch, read_now
from dissensus.elicit.session.protocol import TRIAL_KINDS
from dissensus.elicit.survey_run import SurveyRun, code_of
from dissensus.labels.as_json import as_json

FAST = 1 / 3  # flag a median time below this share of everyone's median
PAGE = 25  # rows per page
SORTS = ("annotator", "stage", "answers", "median_seconds", "agreement", "checks", "repeats", "flags")
SHOWN = ("all", "flagged", "excluded")


def annotator_rows(run: SurveyRun, watch: Watch | None = None) -> list[dict[str, Any]]:
    """Summarise every annotator: answers, times, attention checks, repeats, and flags for unusual behaviour.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    watch : the answers so far, to reuse them; by default they are read from the database

    Returns
    -------
    one dict per annotator, most flags first: id, annotator, stage, excluded, why, code, answers, median_seconds,
    agreement (with the other annotators), checks, checks_right, repeats, repeats_same, given, doubtful and flags. A
    flag is a reason to look at the answers, not a verdict.

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     [(row["answers"], row["agreement"]) for row in annotator_rows(run)]
    [(2, 0.5), (2, 0.5)]
    """
    watch = watch or read_now(run)
    columns = watch.columns()
    numbers = {
        **_main(watch, columns),
        **_checks(watch, columns),
        **_repeats(watch, columns),
        **_doubts(watch, columns),
    }
    values = as_json(numbers)
    seconds = columns["seconds"][columns["kind"] == 0]
    usual = None if np.isnan(seconds).all() else float(np.nanmedian(seconds))
    rows = []
    for who, person in watch.people.items():
        code = watch.codes.get(who)
        row: dict[str, Any] = {
            "id": who,
            "annotator": person.person,
            "stage": person.stage,
            "excluded": person.excluded is not None,
            "why": person.excluded_why,
            "code": code_of(run, who, person.stage),
            **{name: NOTHING[name] if code is None else column[code] for name, column in values.items()},
        }
        rows.append({**row, "flags": list(_flags(row, usual))})
    return sorted(rows, key=lambda row: (-len(row["flags"]), -row["answers"]))


def page_of(rows: list[dict[str, Any]], asked: Mapping[str, str]) -> dict[str, Any]:
    """Filter, sort and page the table.

    asked: show (one of SHOWN), find (part of an id, flag, reason or completion code), known_as (the id in this survey
    of a recruiting site's id), sort (one of SORTS), down (1 for descending), page
    """
    show, find = asked.get("show", "all"), asked.get("find", "").strip().lower()
    kept = [
        row
        for row in rows
        if (show == "all" or (show == "flagged" and row["flags"]) or (show == "excluded" and row["excluded"]))
        and (
            not find
            or row["annotator"] == asked.get("known_as")
            or any(find in text.lower() for text in (row["annotator"], row["why"] or "", row["code"], *row["flags"]))
        )
    ]
    sort, down = asked.get("sort", ""), asked.get("down") == "1"
    if sort in SORTS:
        known = [row for row in kept if row[sort] is not None]
        known.sort(key=lambda row: _rank(row, sort), reverse=down)
        kept = known + [row for row in kept if row[sort] is None]  # missing values come last in both directions
    pages = max(1, -(-len(kept) // PAGE))
    number = int(asked["page"]) if asked.get("page", "").isdecimal() and len(asked["page"]) < 9 else 1
    number = min(max(number, 1), pages)
    return {
        "rows": kept[PAGE * (number - 1) : PAGE * number],
        "matches": len(kept),
        "of": len(rows),
        "page": number,
        "pages": pages,
        "flagged": sum(bool(row["flags"]) for row in rows),
        "excluded": sum(row["excluded"] for row in rows),
    }


NOTHING: dict[str, Any] = {
    "answers": 0,
    "median_seconds": None,
    "agreement": None,
    "checks": 0,
    "checks_right": 0,
    "repeats": 0,
    "repeats_same": 0,
    "given": 0,
    "doubtful": 0,
}


def _rank(row: dict[str, Any], sort: str) -> Any:
    if sort == "flags":
        return len(row["flags"])
    if sort in ("checks", "repeats"):
        right = row["checks_right" if sort == "checks" else "repeats_same"]
        return right / row[sort] if row[sort] else -1.0
    return row[sort]


def _main(watch: Watch, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Answers, median seconds, and agreement with the other annotators: (a,) each"""
    from dissensus.labels.others import agreement_with_others
    from dissensus.labels.summary import median_seconds
    from dissensus.labels.votes import Votes

    main = columns["kind"] == 0
    votes = Votes(
        item=columns["unit"][main],
        items=np.arange(len(watch.counted)),
        annotator=columns["person"][main],
        annotators=np.arange(len(watch.codes)),
        classes=tuple(map(str, range(max(1, len(watch.choices))))),
        choice=columns["first"][main],
        seconds=columns["seconds"][main],
    )
    agreement = agreement_with_others(votes) if watch.question.pools else np.full(len(watch.codes), np.nan)
    return {"answers": votes.per_annotator, "median_seconds": median_seconds(votes), "agreement": agreement}


def _checks(watch: Watch, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Attention checks, and those passed: (a,) each"""
    who, passed, a = columns["person"], columns["passed"], len(watch.codes)
    return {
        "checks": np.bincount(who[passed >= 0], minlength=a),
        "checks_right": np.bincount(who[passed == 1], minlength=a),
    }


def _repeats(watch: Watch, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Repeated trials, and those with the same first choice as before: (a,) each"""
    kind, a = columns["kind"], len(watch.codes)
    asked = columns["person"] * len(watch.counted) + columns["unit"]
    main, again = np.flatnonzero(kind == 0), np.flatnonzero(kind == TRIAL_KINDS.index("repeat"))
    before = main[np.isin(asked[main], asked[again])]
    first = dict(zip(asked[before].tolist(), columns["first"][before].tolist(), strict=True))
    answers = zip(asked[again].tolist(), columns["first"][again].tolist(), strict=True)
    same = np.array([first.get(key) == choice for key, choice in answers], dtype=bool)
    who = columns["person"][again]
    return {"repeats": np.bincount(who, minlength=a), "repeats_same": np.bincount(who[same], minlength=a)}


def _doubts(watch: Watch, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Answers to trials of every kind, and those with implausible times: (a,) each"""
    who, a = columns["person"], len(watch.codes)
    return {"given": np.bincount(who, minlength=a), "doubtful": np.bincount(who[columns["doubtful"] == 1], minlength=a)}


def _flags(row: dict[str, Any], usual: float | None) -> Iterator[str]:
    if row["checks"] and row["checks_right"] < 0.75 * row["checks"]:
        yield f"passed {row['checks_right']} of {row['checks']} attention checks"
    if usual and row["median_seconds"] is not None and row["median_seconds"] < FAST * usual:
        yield "much faster than others"
    if row["repeats"] and row["repeats_same"] < 0.5 * row["repeats"]:
        yield f"same answer in {row['repeats_same']} of {row['repeats']} repeats"
    if row["agreement"] is not None and row["answers"] >= 5 and row["agreement"] < 0.2:
        yield "low agreement with others"
    if row["doubtful"]:
        yield f"implausible times in {row['doubtful']} of {row['given']} answers"
