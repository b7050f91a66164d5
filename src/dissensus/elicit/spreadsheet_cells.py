"""Cells of a CSV file that a spreadsheet would run as formulas, made harmless."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

RUN = r"^[=+\-@\t\r]"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def escape_formulas(table: pa.Table) -> tuple[pa.Table, int]:
    """The table with an apostrophe before each text that a spreadsheet would run, and how many these are.

    Spreadsheets show such a text as it is. A text that is a number, such as -1, is none of them.
    """
    changed = 0
    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        column = table.column(place)
        runs = pc.and_not(pc.match_substring_regex(column, RUN), pc.match_substring_regex(column, NUMBER))
        count = pc.sum(runs).as_py() or 0
        if count:
            quoted = pc.binary_join_element_wise("'", column, "")
            table = table.set_column(place, field, pc.if_else(runs, quoted, column))
            changed += count
    return table, changed
