"""Model against people (no torch needed; its tensors are accepted).

scorecards, comparisons, scores            all of it in one call, for one model or several: `dissensus evaluate`
metrics                                    METRICS: one entry for each score, read by everything here
closeness, choices, f1                     distance to people's distribution, the model's choices, soft F1
alignment                                  is the model uncertain about the items on which people disagree?
calibration, smooth_calibration, brier     are its probabilities calibrated?
ceiling                                    how well people predict people
slices, sparse_target                      the same where people disagree, or by any column
statistics, signed_rank, significance      tests with the smallest p they could give
bootstrap, drawn_correlations              intervals over items
over_people, over_runs                     intervals over annotators, over seeds and items
people, matching, inputs                   labels and predictions in any form, matched by name
scorecard_page, scorecard_figures          as a page; scorecard_views: in a line, a notebook or a frame
one_pass, kernels, sorted_kernels          every score of millions of rows in one pass; float_bits: for the loops
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
