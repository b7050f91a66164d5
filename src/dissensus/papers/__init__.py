"""The papers behind this toolkit: each one's study as data, its published numbers, its claims as checks.

claims             what a paper says, and what came out
verdicts           how the two are held against each other
paper              a paper as data: what is run in which size
running            run it, and judge every claim
record             what a reproduction leaves
figures, pages     a page for each paper, made from its record
catalogue          the papers by name
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
