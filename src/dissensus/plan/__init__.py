"""Which labels to collect.

label_kinds                  hard, sparse, top-class, soft, pairwise
information, constraints     how many comparisons a kind of label answers, by formula or counted in a label matrix
gnmds                        generalised non-metric MDS: items and classes as points that agree with the labels
simulation, grid             how well known points are recovered from each kind of label, over n, k and d
sparsity                     fewer classes per label: principal components, sparse and top-class labels
real_labels                  the same measures on labels that people gave
estimates, tradeoff          what a label tells, and what that is worth against its cost
pilot, pilot_file            what a pilot study changes
allocation, allocation_rules spending a budget of answers over items; allocation_gain: whether choosing them pays
replays, question_mix        the same rehearsed on answers that were already given
advice                       all of it as one recommendation
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
