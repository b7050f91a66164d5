# What `dissensus.files` offers, loaded on first use; `__init__.py` reads this list.
from .exports import EXPORTS as EXPORTS
from .formats import FORMATS as FORMATS
from .read_labels import read as read
from .stream import count_votes as count_votes
from .tables.from_labels import as_table as as_table
from .tools.export import Export as Export
from .write_labels import write as write
