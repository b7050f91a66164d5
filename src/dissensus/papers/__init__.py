"""Reproductions of the papers behind this toolkit: studies as data, published numbers, claims as checks.

claims          Claim and Finding: what a paper states, and what came out
verdicts        how a finding is compared with a claim
paper           Paper and Part: what is run at which scale
running         reproduce: run the parts and judge every claim
record          the record that a reproduction leaves
figures, pages  the page of a paper, made from its record
catalogue       PAPERS: the papers by name
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
