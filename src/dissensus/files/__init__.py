"""Read and write labels: files and frames <-> votes, beliefs and distributions.

    read_labels, write_labels   read and write; formats lists the formats
    stream                      count_votes: a file of votes of any length
    plain_tables                tables as they are, for texts of the items
    tables/                     tables of answers, counts or probabilities <-> the values
    exports, tools/             the formats of annotation tools, one module each
    delimited, quotes, spelling CSV and TSV
    json_text, columnar, matrices   JSON and JSONL; Parquet and Arrow; NPY and NPZ
    whole_files                 files that appear whole or not at all
    notices                     where reports of guesses go
    toml, convert_command       TOML with line numbers; the command that makes a plain file

Import the usual names from here: `from dissensus.files import count_votes`. Other names are imported from their module.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
