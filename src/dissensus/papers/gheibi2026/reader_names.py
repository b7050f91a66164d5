"""Deliveries, metrics, models and conditions as a reader knows them."""

from __future__ import annotations

from dissensus.papers.gheibi2026.studies import KS

DELIVERIES = {
    "soft": "soft labels",
    "sls": "SLS",
    "multipass": "multipass",
    "deterministic_control": "deterministic control",
    "majority": "majority vote",
    "smoothing": "label smoothing",
    "mixup": "mixup",
    "shuffled": "shuffled SLS",
}
METRICS = {
    "soft_nll": "soft NLL",
    "accuracy": "accuracy",
    "ece_equal_mass": "equal-mass ECE",
    "entropy_spearman": "correlation of entropies",
    "kl": "KL to people",
    "brier": "soft Brier score",
    "lambda_full": "largest eigenvalue, all images",
    "trace_full": "trace, all images",
    "lambda_high": "largest eigenvalue, disputed images",
    "trace_high": "trace, disputed images",
}
DETECTORS = {
    "energy": "Energy",
    "odin": "ODIN",
    "entropy": "predictive entropy",
    "msp": "MSP",
    "knn": "KNN",
    "margin": "logit margin",
}
MODELS = {"heads": "heads on frozen features", "swift": "small networks", "resnet18": "ResNet-18"}
READER_NAMES = {
    **DELIVERIES,
    **MODELS,
    **{f"K = {k}": f"{k} votes" for k in KS},
    "held": "held labels",
    "chance": "chance",
}


def in_title(name: str) -> str:
    """The name at the start of a sentence."""
    return name[0].upper() + name[1:]
