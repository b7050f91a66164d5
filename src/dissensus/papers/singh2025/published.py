"""What the paper prints, and what it claims."""

from __future__ import annotations

from typing import Any

from dissensus.papers.claims import Claim, printed

RUNS = 10  # seeds behind each ±, a standard deviation
NAMES = {"chaosnli": "ChaosNLI", "popquorn": "POPQUORN", "cifar10h-hard": "CIFAR-10H-Hard"}
# Table 1: classes, samples, answers per sample, mean entropy over its largest.
LABELS = {
    "chaosnli": (3, 3_113, "100", "0.59 ± 0.20"),
    "popquorn": (5, 3_700, "6.7", "0.62 ± 0.18"),
    "cifar10h-hard": (10, 1_103, "50", "0.24 ± 0.16"),
}
# Table 2: learning rate, batch, epochs, weight decay, scheduler.
CHOSEN: dict[str, dict[str, tuple[Any, ...]]] = {
    "chaosnli": {"soft": (1e-3, 32, 20, 1e-4, "plateau"), "hard": (1e-4, 16, 15, 1e-4, "plateau")},
    "popquorn": {"soft": (1e-5, 8, 20, 0.0, None), "hard": (1e-4, 32, 10, 0.0, "plateau")},
    "cifar10h-hard": {"soft": (1e-4, 16, 15, 1e-4, "plateau"), "hard": (1e-3, 16, 10, 1e-4, None)},
}
# Table 3, accuracy in percent and KL; table 4, Pearson's correlation of entropies.
SCORES = {
    "chaosnli": {
        "accuracy": ("51.75 ± 1.25", "55.30 ± 2.05"), "kl": ("0.367 ± 0.011", "0.319 ± 0.012"),
        "entropy_correlation": ("0.130", "0.284"),
    },
    "popquorn": {
        "accuracy": ("52.00 ± 1.25", "51.98 ± 1.46"), "kl": ("0.430 ± 0.014", "0.361 ± 0.007"),
        "entropy_correlation": ("0.232", "0.286"),
    },
    "cifar10h-hard": {
        "accuracy": ("78.51 ± 2.47", "78.14 ± 2.52"), "kl": ("0.596 ± 0.073", "0.406 ± 0.021"),
        "entropy_correlation": ("0.353", "0.493"),
    },
}  # fmt: skip
P_VALUES = {"chaosnli": ("9.1e-04", "4.7e-07"), "popquorn": ("0.948", "6.4e-09"), "cifar10h-hard": ("0.553", "1.6e-05")}
METRIC_NAMES = {"accuracy": "accuracy in %", "kl": "KL to people", "entropy_correlation": "correlation of entropies"}
OVER = f"± is the standard deviation over {RUNS} seeds"


def difference(name: str, metric: str) -> float:
    """Soft minus hard, as printed."""
    hard, soft = (printed(text).value for text in SCORES[name][metric])
    return soft - hard


def _claims() -> list[Claim]:
    claims = []
    for name, shown in NAMES.items():
        classes, items, votes, spread = LABELS[name]
        claims.append(Claim(
            key=f"table-1-{name}", source=f"table 1, {shown}; figure 3",
            claim=f"{shown} has {items:,} items over {classes} classes, and people disagree on them",
            published=f"{items:,} items, {votes} answers each, normalised entropy {spread} (SD over items)",
        ))  # fmt: skip
    for name, shown in NAMES.items():
        for targets, setting in CHOSEN[name].items():
            rate, batch, epochs, decay, scheduler = setting
            claims.append(Claim(
                key=f"table-2-{name}-{targets}", source=f"table 2, {shown}, {targets}",
                claim=f"The validation loss chooses these settings for {targets} labels of {shown}",
                published=f"learning rate {rate:g}, batch {batch}, {epochs} epochs, weight decay {decay:g}, "
                f"scheduler {scheduler or 'none'}",
            ))  # fmt: skip
    for name, shown in NAMES.items():
        for metric, (hard, soft) in SCORES[name].items():
            claims += [_comparison(name, shown, metric, hard, soft)]
    claims += [
        Claim(
            key="table-4-mean-kl", source="table 4, last row; abstract",
            claim="Over the three sets, soft labels lower KL to people by a third on average", published="32 %",
        ),
        Claim(
            key="table-4-mean-correlation", source="table 4, last row; abstract",
            claim="Over the three sets, soft labels raise the correlation of entropies by more than half on average",
            published="+61 %",
        ),
    ]  # fmt: skip
    for name, shown in NAMES.items():
        claims.append(Claim(
            key=f"figure-4-{name}", source=f"figure 4, {shown}; section 4.1",
            claim=f"On {shown}, the validation loss of soft labels is lowest at a later epoch than that of hard labels",
            published="a figure without numbers",
        ))  # fmt: skip
        claims.append(Claim(
            key=f"figure-5-{name}", source=f"figures 2 and 5, {shown}",
            claim=f"On the most disputed items of {shown}, predictions from soft labels are as spread out as people's "
            "answers, and those from hard labels are not",
            published="a figure of one item",
        ))  # fmt: skip
    return claims


def _comparison(name: str, shown: str, metric: str, hard: str, soft: str) -> Claim:
    p = dict(zip(("accuracy", "kl"), P_VALUES[name], strict=True)).get(metric)
    said = {
        "kl": f"On {shown}, soft labels bring the model closer to people",
        "entropy_correlation": f"On {shown}, soft labels make the model unsure where people disagree",
        "accuracy": f"On {shown}, soft labels are {'more' if name == 'chaosnli' else 'as'} accurate",
    }[metric]
    about = f"; {OVER}, t-test p = {p}" if p else ""
    return Claim(
        key=f"table-{4 if metric == 'entropy_correlation' else 3}-{name}-{metric}",
        source=f"table {'4' if metric == 'entropy_correlation' else '3'}, {shown}, {METRIC_NAMES[metric]}",
        claim=said, published=f"hard {hard}, soft {soft}{about}",
    )  # fmt: skip


CLAIMS = tuple(_claims())
