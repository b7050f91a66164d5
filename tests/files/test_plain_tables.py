"""Tables as they stand: the same rows from every format."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from dissensus.files.plain_tables import read_table
from tests.facts import refuses

ROWS = [{"item": "a", "text": "one, two"}, {"item": "b", "text": "three"}]


def test_every_format_gives_the_same_rows(tmp_path):
    table = pa.Table.from_pylist(ROWS)
    (tmp_path / "t.csv").write_text('item,text\na,"one, two"\nb,three\n')
    (tmp_path / "t.tsv").write_text("item\ttext\na\tone, two\nb\tthree\n")
    (tmp_path / "t.json").write_text(json.dumps(ROWS))
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    parquet.write_table(table, tmp_path / "t.pq")
    with pa.ipc.new_file(tmp_path / "t.feather", table.schema) as writer:
        writer.write_table(table)
    for ending in ("csv", "tsv", "json", "jsonl", "pq", "feather"):
        assert read_table(tmp_path / f"t.{ending}").to_pylist() == ROWS, ending


@pytest.mark.parametrize("name", ["t.xlsx", "t.npy", "t"])
def test_files_that_are_not_tables_are_refused_with_the_valid_endings(name, tmp_path):
    path = tmp_path / name
    endings = ".csv, .tsv, .jsonl, .ndjson, .json, .parquet, .pq, .arrow, .feather, .ipc"
    with refuses(f"'{path.suffix}'", endings, place=str(path)):
        read_table(path)
