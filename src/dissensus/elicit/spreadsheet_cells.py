"""Protection of CSV files: cells that a spreadsheet would run as formulas get an apostrophe."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

FORMULA = r"^[=+\-@\t\r]"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def escape_formulas(table: pa.Table) -> tuple[pa.Table, int]:
    """Put an apostrophe before each text that a spreadsheet would run as a formula. Return the table and their number.

    Spreadsheets hide the apostrophe. Numbers such as -1 stay as they are. A second call changes nothing.
    """
    changed = 0
    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        column = table.column(place)
        formulas = pc.and_not(pc.match_substring_regex(column, FORMULA), pc.match_substring_regex(column, NUMBER))
        count = pc.sum(formulas).as_py() or 0
        if count:
            quoted = pc.binary_join_element_wise("'", column, "")
            table = table.set_column(place, field, pc.if_else(formulas, quoted, column))
            changed += count
    return table, changed
