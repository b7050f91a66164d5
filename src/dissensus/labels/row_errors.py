"""What is wrong with one row of a value, so that a reader of files can say where that row stood."""

from __future__ import annotations


class RowError(ValueError):
    """A row that is refused: "belief 3 (item a) states -0.5 ...".

    noun  what a row is: "vote", "belief", "row"
    row   its place, from 0
    said  the rest of the sentence
    """

    def __init__(self, noun: str, row: int, said: str) -> None:
        super().__init__(noun, row, said)
        self.row = int(row)
        self.said = said

    def __str__(self) -> str:
        return f"{self.args[0]} {self.row} {self.said}"
