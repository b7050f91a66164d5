# What `dissensus.papers` offers, loaded on first use; `__init__.py` reads this list.
from .catalogue import PAPERS as PAPERS
from .catalogue import paper_named as paper_named
from .claims import Answer as Answer
from .claims import Claim as Claim
from .claims import Finding as Finding
from .figures import Figure as Figure
from .figures import Series as Series
from .pages import write_page as write_page
from .paper import Paper as Paper
from .paper import Part as Part
from .record import Reproduction as Reproduction
from .record import read_record as read_record
from .running import reproduce as reproduce
