"""Model against people (no torch needed; its tensors are accepted).

    scorecard, compare                         all of it in one call, for one model or several: `dissensus evaluate`
    scorecard_page, figures, meanings          how that looks
    people, matching, prepared                 labels and predictions taken as they come, matched by name
    scoring, choices, f1                       one value per item: soft NLL, KL, JS, Brier, accuracy, second choice, …
    alignment                                  is the model unsure where people are?
    calibration, smooth_calibration, brier     do its probabilities mean what they say?
    slices, sparse_target                      the same where people disagree, or by any column
    statistics, wilcoxon                       tests that tell what they could show at best
    bootstrap                                  intervals over items, annotators and seeds
    sweep, kernels, sorted_kernels             every score of millions of rows in one pass

Import names from their module.
"""
