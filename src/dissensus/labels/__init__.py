"""Labels from people: votes, beliefs and distributions, and functions of them.

    votes, beliefs, distributions   the three values; answers is what the first two share
    frames                          the values and frames of pandas, polars and Arrow
    shares                          from any labels to distributions
    completion                      partial beliefs to full ones
    transforms, sampling            labels made from labels; fewer answers or items, drawn at random
    informative_classes             classes that are most informative about similarity
    distances                       entropy, and distances between distributions
    quality                         screening of annotators and answers
    simulate                        annotators with known truth
    summary                         size and disagreement of a set of labels
    intervals                       a number with its confidence interval
    refusals, row_errors, settings  errors with ways out; settings declared once
    names, display                  codes and names, how values print
    doors, row_sums                 errors for wrong types, and for rows that are not probabilities

Import the usual names from here: `from dissensus.labels import smooth`. Other names are imported from their module.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
