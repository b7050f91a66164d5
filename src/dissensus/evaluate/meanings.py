"""What each score of a scorecard is, in a few words, and which way is better."""

from __future__ import annotations

from dissensus.evaluate.metrics import METRICS

MEANINGS = {name: metric.meaning for name, metric in METRICS.items()} | {
    "vote_accuracy": "accuracy to single votes", "accuracy_gold": "accuracy to gold",
    "second_best_accuracy": "second choice as people's", "entropy_pearson": "entropy correlation, Pearson",
    "entropy_spearman": "entropy correlation, Spearman", "ece_equal_mass": "calibration, equal-mass ECE",
    "rmse_calibration": "calibration, RMSE", "smooth_ece": "calibration, smooth ECE",
    "soft_micro_f1": "soft F1, micro", "soft_macro_f1": "soft F1, macro",
}  # fmt: skip
HIGHER = {name for name, metric in METRICS.items() if metric.higher_is_better} | {
    "accuracy_gold", "entropy_pearson", "entropy_spearman", "soft_micro_f1", "soft_macro_f1",
}  # fmt: skip
