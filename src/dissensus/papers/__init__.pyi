# What `dissensus.papers` offers, loaded on first use; `__init__.py` reads this list.
from .catalogue import PAPERS as PAPERS
from .catalogue import paper_named as paper_named
from .claims import Claim as Claim
from .claims import Finding as Finding
from .paper import Paper as Paper
from .reproduce import Reproduction as Reproduction
from .reproduce import reproduce as reproduce
