"""Reproductions of the papers behind this toolkit: studies as data, published numbers, claims as checks.

published       numbers as a paper prints them, read from its published.toml
evidence        the table of everything that a run measured
expressions     differences of measured numbers
judges          what a claim compares, and its verdict
combined_judges  several judges as one, and claims that nothing can test
deciding        the nearest model that is strong enough decides
strength        when a run is too weak to tell
outcomes        a verdict with the numbers behind it
wording         judgements in words
claims          Claim and Finding: what a paper states, read from its claims.toml, and what came out
paper           Paper and Part: what is run at which scale
running         reproduce: run the parts and judge every claim
judging         judge claims, also again from stored evidence
record          the record that a reproduction leaves
figures, headlines, pages  the page of a paper, made from its record; titles of figures are read from its figures.toml
catalogue       PAPERS: the papers by name
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
