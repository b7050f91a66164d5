"""Argilla records, of version 1 and 2, nested and flat, -> the long table of answers.

Where the shapes are known from: those of version 2 from the source code of its client (records/_io and their tests,
records/_resource.py); those of version 1 from the source code of its client (schemas/responses.py and
integrations/huggingface/dataset.py) and from dataset cards on the Hugging Face Hub.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_list,
    as_name,
    as_object,
    choose_classes,
    each_record,
    first_of,
    keep_fields,
    make_parsed,
    parallel_list,
    pick_question,
)
from dissensus.labels.refusals import Refusal, Way

_RESPONSE = ("user_id", "value", "status")
_FLAT, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_SUGGESTION = "-suggestion"
_FIELDS = ("id", "external_id", "fields", "metadata", "responses", "vectors", "suggestions", "_server_id")


class _Response(NamedTuple):
    """The answer of a user to a question; the status is None if the export has none."""

    question: str
    user: str | int | None
    value: Any
    status: str | None


def recognises(record: dict[str, Any]) -> bool:
    nested = isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), list | dict)
    flat = any(name.endswith(_USERS) and name.removesuffix(".users") in record for name in record)
    return nested or flat or ("external_id" in record and bool(_columns_of_questions(record)))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Submitted answers of an Argilla dataset to one question: label, rating, or several labels at once.

    2.x, records.to_json and to_list(): {id, fields, metadata, suggestions, responses: {question: [{value, user_id}]},
    vectors, _server_id}; it does not say which responses are drafts or discarded.
    2.x, to_list(flatten=True), to_datasets and the Hub: {id, fields and metadata by name, QUESTION.responses: [value],
    QUESTION.responses.users: [id], QUESTION.responses.status: [status], QUESTION.suggestion, ...}, rows of Parquet too.
    1.x, a FeedbackDataset on the Hub: {fields by name, QUESTION: [{user_id, value, status}], QUESTION-suggestion,
    external_id, metadata}, the lists as {user_id: [...], value: [...], status: [...]} in some; rows of Parquet too.
    1.x, feedback records: {fields, responses: [{user_id, values: {question: {value}}, status}], suggestions, ...}.

    Draft and discarded responses are left out. Rankings and spans are not labels of a record and are refused.
    """
    left_out: Counter[str] = Counter()
    entries = [
        (place, record, list(_responses(record, place))) for place, record in each_record(records, source, "Argilla")
    ]
    asked = pick_question((r.question for *_, responses in entries for r in responses), question, source, left_out)
    numbered = all(_name_of(record) is None for _, record, _ in entries)
    rows, unknown = [], 0
    for number, (place, record, responses) in enumerate(entries, start=1):
        item = number if numbered else as_name(_name_of(record), "id", place)
        left_out["record{s} without a response"] += not responses
        columns = _columns(record, place)
        for response in responses:
            if response.question != asked:
                continue
            if response.status not in (None, "submitted"):
                left_out[f"{response.status} response{{s}}"] += 1
                continue
            unknown += response.status is None
            values = _values(response.value, asked, place)
            if not values:
                left_out[f"response{{s}} without an answer to {asked!r}"] += 1
                continue
            rows.append(columns | {"item": item, "annotator": response.user, "label": choose_classes(values, place)})
    _refuse_ranking([row["label"] for row in rows], asked, source)
    answers = make_parsed(rows, left_out, source)
    said = ["items = the numbers of the records, which have no id of their own"] if numbered else []
    if unknown:
        said.append(
            f"{unknown} of {len(rows)} responses have no status, so drafts and discarded ones may be among them; "
            "to_list(flatten=True) and to_datasets() of Argilla write it"
        )
    return replace(answers, notices=[*answers.notices, *said])


def _responses(record: dict[str, Any], place: Place) -> Iterator[_Response]:
    """Every response in a record, whatever its form and status."""
    said = record.get("responses")
    if isinstance(record.get("fields"), dict) and isinstance(said, list):
        for entry in said:
            response = as_object(entry, "a response", place)
            answers = as_object(response.get("values") or {}, "the values of a response", place)
            for question, holder in answers.items():
                if holder is None:  # in a column of objects, a question that this user did not answer
                    continue
                value = as_object(holder, f"the response to {question!r}", place).get("value")
                yield _response(question, response.get("user_id"), value, response.get("status"), place)
    elif isinstance(record.get("fields"), dict):
        for question, entries in as_object(said or {}, "responses", place).items():
            yield from _list_responses(question, entries, place)
    elif any(name.endswith(_USERS) for name in record):
        for name in [name for name in record if name.endswith(_USERS) and record[name] is not None]:
            question = name.removesuffix(_USERS)
            users = as_list(record[name], name, place)
            values = parallel_list(record.get(question + _FLAT), len(users), question + _FLAT, place)
            status = record.get(question + _STATUS) or [None] * len(users)
            states = parallel_list(status, len(users), question + _STATUS, place)
            for user, value, state in zip(users, values, states, strict=True):
                yield _response(question, user, value, state, place)
    else:
        for question in _columns_of_questions(record):
            yield from _list_responses(question, record[question], place)


def _list_responses(question: str, entries: Any, place: Place) -> Iterator[_Response]:
    """The responses in a list of {user_id, value, status}, or in an object of three lists."""
    if isinstance(entries, dict):
        values = as_list(entries.get("value"), f"the values of {question!r}", place)
        lists = {
            name: parallel_list(entries.get(name) or [None] * len(values), len(values), name, place)
            for name in _RESPONSE
        }
        entries = [{name: lists[name][n] for name in _RESPONSE} for n in range(len(values))]
    for entry in as_list(entries if entries is not None else [], f"the responses to {question!r}", place):
        response = as_object(entry, f"a response to {question!r}", place)
        yield _response(question, response.get("user_id"), response.get("value"), response.get("status"), place)


def _response(question: str, user: Any, value: Any, status: Any, place: Place) -> _Response:
    if status is not None and not isinstance(status, str):
        raise place.error("the status of a response", status, "'submitted', 'draft' or 'discarded'")
    return _Response(question, None if user is None else as_name(user, "user_id", place), value, status)


def _values(value: Any, question: str, place: Place) -> list[Any]:
    """The classes that a response names: one, or those of a list; rankings and spans are refused."""
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, dict) for part in value)):
        raise place.error(
            f"a response to {question!r}",
            value,
            "a label, a rating or a list of labels: rankings and spans are not labels of a record, so choose another "
            "question",
        )
    return value if isinstance(value, list) else [] if value is None else [value]


def _refuse_ranking(labels: list[Any], question: str, source: str) -> None:
    """Version 2 writes rankings as lists, like several labels; lists of equal values in several orders are rankings."""
    lists = [tuple(label) for label in labels if isinstance(label, list)]
    if len(lists) == len(labels) and len(set(lists)) > 1 and len({frozenset(map(str, seen)) for seen in lists}) == 1:
        raise Refusal(
            f"every response to {question!r} names the same {len(lists[0])} values, in {len(set(lists))} different "
            "orders, so it is a ranking, which is not a label",
            source,
            [
                Way("choose another question with {question}", question=...),
                Way("write a table with the value ranked first"),
            ],
        )


def _columns(record: dict[str, Any], place: Place) -> dict[str, Any]:
    """The further columns of a record: its fields, its metadata, and what else is not a response."""
    if isinstance(record.get("fields"), dict):
        inner = {**record["fields"], **as_object(record.get("metadata") or {}, "metadata", place)}
        return keep_fields(record, _FIELDS) | keep_fields(inner, ())
    questions = _columns_of_questions(record)
    responses = [name for name in record if name.endswith((_FLAT, _USERS, _STATUS))]
    return keep_fields(record, (*questions, *responses, "id", "external_id", "_server_id", "vectors"))


def _columns_of_questions(record: dict[str, Any]) -> list[str]:
    """The columns of a version 1 dataset that have responses: those with a suggestion beside them, or in that form."""
    return [name for name, value in record.items() if f"{name}{_SUGGESTION}" in record or _holds_responses(value)]


def _holds_responses(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and set(_RESPONSE) == first.keys()


def _name_of(record: dict[str, Any]) -> Any:
    return first_of(record, "id", "external_id")


EXPORT = Export("argilla", "json", recognises, parse, in_columns=True)
