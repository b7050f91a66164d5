# What `dissensus.papers` offers, loaded on first use; `__init__.py` reads this list.
from .catalogue import PAPERS as PAPERS
from .claims import Claim as Claim
from .claims import Finding as Finding
from .pages import write_page as write_page
from .paper import Paper as Paper
from .paper import Part as Part
from .record import read_record as read_record
from .running import reproduce as reproduce
