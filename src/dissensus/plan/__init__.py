"""Plan which labels to collect, and which items to ask about next.

plan_labels(n, k, Preferences(), rng)    a recommendation; describe_plan makes a page of it
allocate(votes, 100, rng)                further answers per item

label_kinds                   hard, sparse, top-class, soft, pairwise
information, constraints      comparisons that a kind of label answers, by formula or counted in a label matrix
gnmds                         generalised non-metric MDS: items and classes as points that agree with the labels
simulation, grid              how well similarities are recovered from each kind of label, over n, k and d
sparsity                      fewer classes per label: principal components, sparse and top-class labels
real_labels                   the same measures on labels that people gave
estimates, tradeoff           information of a label, and its utility (utilities) against its cost
pilot, pilot_file, measured   a pilot study, and its measurements in place of assumptions
allocation, allocation_rules  further answers per item; allocation_gain tests whether choosing items pays
replays, question_mix         allocation replayed on collected answers
advice                        all of it as one recommendation
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
