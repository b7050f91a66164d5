"""Checks of the data folder against the documented facts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np

from dissensus.datasets.dataset import DataCheck, DataSet, Facts, Features, LabelledItems
from dissensus.datasets.folder import describe_error, find_files, is_present, locate_files
from dissensus.datasets.image_files import Images
from dissensus.labels.content_hash import hash_file
from dissensus.labels.distributions import Distributions

State = Literal["ok", "failed", "absent"]


@dataclass(frozen=True)
class CheckOutcome:
    """The result of checking one data set: the facts that were checked, and those that failed."""

    name: str
    state: State
    checked: tuple[str, ...]
    problems: tuple[str, ...]


def verify(dataset: DataSet) -> CheckOutcome:
    """Read a data set if it is present, and test every documented fact about it.

    Parameters
    ----------
    dataset : an entry of `DATASETS`

    Returns
    -------
    CheckOutcome : its `state` is "ok", "failed" or "absent"; `checked` and `problems` list the facts

    Examples
    --------
    >>> verify(lookup("anesthesia")).state
    'ok'
    """
    if not is_present(dataset):
        return CheckOutcome(dataset.name, "absent", (), ())
    problems = _wrong_checksums(dataset)
    checked = [f"checksum of {place}" for place in locate_files(dataset) if place in dataset.checksums]
    try:
        content = dataset.read(*find_files(dataset))
        facts = measure_facts(content)
    except Exception as problem:  # one failing set must not keep the others from being checked
        problems.append(f"cannot be read: {describe_error(problem)}")
    else:
        problems += _wrong_facts(dataset.facts, facts)
        verdicts = {check.claim: _verdict(check, content) for check in dataset.checks}
        problems += [f"{verdict}: {claim}" for claim, verdict in verdicts.items() if verdict]
        tested = (claim for claim, verdict in verdicts.items() if verdict is not None)
        checked = [_sizes(dataset.facts), *tested, *checked]
    return CheckOutcome(dataset.name, "failed" if problems else "ok", tuple(checked), tuple(problems))


def describe_data_set(dataset: DataSet) -> dict[str, Any]:
    """Describe a data set in plain values: title, source, citation, licence, sizes, and whether it is present.

    Parameters
    ----------
    dataset : an entry of `DATASETS`

    Returns
    -------
    dict : values by name, for tables and JSON

    Examples
    --------
    >>> describe_data_set(lookup("anesthesia"))["items"]
    45
    """
    terms = ("name", "title", "kind", "what", "source", "citation", "licence")
    return {
        **{term: getattr(dataset, term) for term in terms},
        **asdict(dataset.facts),
        "present": is_present(dataset),
        "fetchable": bool(dataset.downloads),
        "checked": claims(dataset),
    }


def claims(dataset: DataSet) -> tuple[str, ...]:
    """List the facts that can be checked about a data set."""
    sums = (f"checksum of {place}" for place in dataset.checksums)
    return (_sizes(dataset.facts), *(check.claim for check in dataset.checks), *sums)


def measure_facts(content: Any) -> Facts:
    """Measure the facts of the data, to be compared with the documented ones."""
    if isinstance(content, Images):
        return Facts(items=len(content.labels), classes=len(content.classes))
    if isinstance(content, Features):
        return Facts(items=len(content.values))
    if isinstance(content, dict):  # one Distributions for each model
        models = list(content.values())
        return Facts(
            items=models[0].n_items,
            classes=models[0].n_classes,
            annotators=len(models),
            answers=sum(model.n_items for model in models),
            fewest=len(models),
            most=len(models),
        )
    assert isinstance(content, LabelledItems)
    labels = content.labels
    if isinstance(labels, Distributions):
        per_item, annotators = labels.votes, None
    else:
        per_item, annotators = labels.per_item, labels.n_annotators
    counts = np.zeros(1, dtype=np.int64) if per_item is None else per_item
    return Facts(
        items=labels.n_items,
        classes=labels.n_classes,
        annotators=annotators,
        answers=int(counts.sum()),
        fewest=int(counts.min()),
        most=int(counts.max()),
    )


def _verdict(check: DataCheck, content: Any) -> str | None:
    """The problem with a claim in words, "" if it holds, None if a file that it needs is absent."""
    try:
        holds = check.holds(content)
    except Exception as problem:  # a claim that cannot be tested has failed; the others are tested all the same
        return f"cannot be tested ({describe_error(problem)})"
    return None if holds is None else "" if holds else "does not hold"


def _wrong_checksums(dataset: DataSet) -> list[str]:
    problems = []
    for place, path in locate_files(dataset).items():
        expected = dataset.checksums.get(place)
        if expected is not None and (computed := hash_file(path, expected.partition(":")[0])) != expected:
            problems.append(f"{path} has {computed}; expected {expected}: fetch it again")
    return problems


def _wrong_facts(expected: Facts, facts: Facts) -> list[str]:
    have = dict(_list_facts(facts))
    return [
        f"{text} {have.get(text, 0):,}; expected {value:,}"
        for text, value in _list_facts(expected)
        if have.get(text) != value
    ]


def _sizes(facts: Facts) -> str:
    return ", ".join(f"{text} {value:,}" for text, value in _list_facts(facts))


def _list_facts(facts: Facts) -> list[tuple[str, int]]:
    words = {"fewest": "fewest per item", "most": "most per item"}
    values = [(words.get(field.name, field.name), getattr(facts, field.name)) for field in fields(facts)]
    return [(text, value) for text, value in values if value is not None]
