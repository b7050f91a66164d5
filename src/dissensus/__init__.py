"""The toolkit for labels on which people disagree."""

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import complete
from dissensus.labels.distributions import Distributions
from dissensus.labels.files import read, write
from dissensus.labels.summary import summarise
from dissensus.labels.table_write import as_table
from dissensus.labels.votes import Votes

__version__ = "0.1.0"
__all__ = ["Beliefs", "Distributions", "Votes", "as_table", "complete", "read", "summarise", "write"]
