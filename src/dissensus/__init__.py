"""The toolkit for labels on which people disagree."""

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

__version__ = "0.1.0"
__all__ = ["Beliefs", "Distributions", "Votes"]
