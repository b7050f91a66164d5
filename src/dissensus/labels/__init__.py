"""What people said: votes, beliefs and distributions, and everything that can be done to them.

    votes, beliefs, distributions   the three values; answers is what the first two share
    frames                          the values and frames of pandas, polars and Arrow
    shares                          from any labels to distributions
    completion                      partial beliefs to full ones
    transforms, sampling            labels made from labels; fewer answers or items, drawn at random
    informative_classes             which classes say most about which items are alike
    distances                       entropy, and distances between distributions
    quality                         which answers and annotators to trust
    simulate                        annotators with known truth
    summary                         what is in a set of labels
    intervals                       a number and how far it could have come out otherwise
    names, display, row_errors      codes and names, how values show themselves, what is wrong with a row
    doors, row_sums                 what a function is handed in place of labels, or in place of probabilities

The names that users call stand here: `from dissensus.labels import smooth`.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
