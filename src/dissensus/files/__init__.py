"""One door in and one door out: files and frames <-> the three values.

    read_labels, write_labels   read and write; formats lists what they know
    stream                      count_votes: a file of votes of any length
    plain_tables                tables as they stand, for texts beside labels
    tables/                     tables of answers, counts or probabilities <-> the values
    exports, tools/             the formats of annotation tools, one module each
    delimited, quotes, spelling CSV and TSV
    json_text, columnar, matrices   JSON and JSONL; Parquet and Arrow; NPY and NPZ
    whole_files                 files that appear whole or not at all
    notices                     who hears what was guessed

The names that users call stand here: `from dissensus.files import count_votes`.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
