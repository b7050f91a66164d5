"""Many answers -> one distribution.

    aggregations            aggregate_labels and AGGREGATIONS: every method by its name
    counting                share, majority_vote, dirichlet, mean_belief
    weighted_votes          wawa: votes weighted by their annotators' agreement with the majority
    models                  dawid_skene, one_coin, mace, glad: each a function that returns a fit
    priors                  shrinkage: a distribution from few votes, with a prior learned from the crowd
    pooling, recalibration  beliefs of several people pooled by reliability, and recalibrated
    agreement, agreement_by_class, pairwise, belief_agreement, agreement_summary   how much people agree
    consensus, second_look                  one label per item; items and answers to review
    annotators                              skill, bias, speed and confidence of each annotator
    labels_page, agreement_page, annotators_page   pages: describe_labels, describe_agreement, describe_annotators
    fit_card                                how a fit looks in a notebook

Each name is loaded when it is first used.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
