"""Whatever bytes a file holds, reading gives a value or a ValueError that begins with the file, never anything else."""

from __future__ import annotations

import json
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes
from dissensus.files.exports import EXPORTS
from dissensus.files.formats import ENDINGS
from dissensus.files.json_text import json_bytes
from dissensus.files.read_labels import read
from dissensus.files.stream import count_votes
from dissensus.files.write_labels import write
from tests.files.refusals import file, quiet
from tests.files.tools.samples import SAMPLES

few = partial(settings, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
COLUMNS = {"item": ["a", "b"], "annotator": [1, 1], "label": ["x", "y"]}
FIELDS = [
    "item",
    "annotator",
    "label",
    "seconds",
    "stated.a",
    "ruled_out.a",
    "named.1",
    "votes",
    "annotators",
    "annotations",
    "top1",
    "top1_prob",
    "top2",
    "top2_prob",
    "impossible",
    "is_repeat",
    "id",
    "data",
]


def value_or_refusal(path, **options):
    try:
        value = read(path, say=quiet, **options)
    except ValueError as error:
        assert str(error).startswith(str(path))
        return None
    assert isinstance(value, Votes | Beliefs | Distributions)
    return value


@few(max_examples=300)
@given(content=st.binary(min_size=1, max_size=200), ending=st.sampled_from(list(ENDINGS)))
def test_random_bytes_give_a_value_or_a_refusal(tmp_path, content, ending):
    value_or_refusal(file(tmp_path, f"fuzz{ending}", content))


@few(max_examples=300)
@given(
    content=st.lists(
        st.sampled_from([*'",;\t\n\r|{}[]:.0123 ab\0é', *FIELDS, "null", "nan", "1e999", "-1", "true"]),
        min_size=1,
        max_size=60,
    ).map("".join),
    kind=st.sampled_from(["csv", "tsv", "json", "jsonl", *EXPORTS]),
)
def test_text_of_the_right_words_gives_a_value_or_a_refusal(tmp_path, content, kind):
    value_or_refusal(file(tmp_path, "fuzz.txt", content), format=kind)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3),
    max_leaves=5,
)


@few(max_examples=150)
@given(records=st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=6), max_size=4))
def test_records_of_anything_give_a_value_or_a_refusal(tmp_path, records):
    path = file(tmp_path, "fuzz.json", json.dumps(records))
    value_or_refusal(path)
    value_or_refusal(path, layout="annotators")
    value_or_refusal(path, layout="counts", missing="drop", repeats="last")
    value_or_refusal(path, several="votes", missing="drop")
    value_or_refusal(path, several="beliefs", repeats="first")
    value_or_refusal(path, layout="slider", classes=["x", "y"], scale=100, missing="drop")


def valid_files():
    """One small value for every format; records for one that is only read."""
    votes = Votes.of(["a", "a", "b"], ["3", "4", "3"], [1, 2, 1], classes=list("0123456789"), seconds=[1.5, 2, 3])
    shares = Distributions.from_counts([[1, 3], [2, 2]], items=["a", "b"], classes=["x", "y"])
    beliefs = Beliefs.of_votes(votes)
    for kind in ("csv", "tsv", "json", "jsonl", "parquet", "arrow"):
        for value in (votes, beliefs, shares):
            yield kind, value
    for kind in ("npy", "npz"):
        yield kind, shares
    for kind in EXPORTS:
        yield kind, votes if EXPORTS[kind].render is not None else SAMPLES[kind]


VALID = list(valid_files())


@few(max_examples=600)
@given(
    which=st.integers(0, len(VALID) - 1),
    places=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=3)), min_size=1, max_size=4),
    end=st.just(1.0) | st.floats(0, 1),
)
def test_damaged_files_give_a_value_or_a_refusal(tmp_path, which, places, end):
    kind, value = VALID[which]
    path = tmp_path / f"whole-{which}"
    if not path.exists() and isinstance(value, list | dict):
        path.write_bytes(json_bytes(value, lines=EXPORTS[kind].container == "jsonl", name=kind))
    elif not path.exists():
        write(value, path, format=kind, say=quiet)
    content = bytearray(path.read_bytes())
    for share, change in places:
        at = int(share * len(content))
        content[at : at + len(change)] = change
    damaged = file(tmp_path, "damaged", bytes(content[: 1 + int(end * len(content))]))
    value_or_refusal(damaged, format=kind)
    if kind == "parquet":
        try:
            count_votes(damaged)
        except ValueError as error:
            assert str(error).startswith(str(damaged))


@few(max_examples=100)
@given(
    entry=st.dictionaries(
        st.sampled_from([*COLUMNS, "layout", "seconds", "classes", "items", "annotators", "scale", "repeats", "say"]),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from([*COLUMNS, "votes", "x", "y"]),
            lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=2), part, max_size=2),
        ),
    )
)
def test_hostile_schema_entries_give_a_value_or_a_refusal(tmp_path, entry):
    path = tmp_path / "labels.parquet"
    metadata = {b"dissensus": json.dumps(entry).encode()}
    pq.write_table(pa.table(COLUMNS).replace_schema_metadata(metadata), path)
    value_or_refusal(path)
