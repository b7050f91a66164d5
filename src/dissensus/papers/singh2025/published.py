"""What the paper prints, and what it claims."""

from __future__ import annotations

from typing import Any

from dissensus.papers.claims import Claim

RUNS = 10  # seeds behind each ±, a standard deviation
NAMES = {"chaosnli": "ChaosNLI", "popquorn": "POPQUORN", "cifar10h-hard": "CIFAR-10H-Hard"}
# Table 1: classes, samples, answers per sample, mean entropy over its largest.
LABELS = {
    "chaosnli": (3, 3_113, "100", "0.59 ± 0.20"),
    "popquorn": (5, 3_700, "6.7", "0.62 ± 0.18"),
    "cifar10h-hard": (10, 1_103, "50", "0.24 ± 0.16"),
}
# Table 2: learning rate, batch, epochs, weight decay, scheduler. The weight decay of POPQUORN is printed once for both.
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
GAINS = {"chaosnli": "+119%", "popquorn": "+24%", "cifar10h-hard": "+40%"}  # of the correlation, table 4
METRIC_NAMES = {"accuracy": "accuracy in %", "kl": "KL to people", "entropy_correlation": "correlation of entropies"}
OVER = f"± is the standard deviation over {RUNS} seeds"


def _claims() -> list[Claim]:
    return [*_label_claims(), *_setting_claims(), *_score_claims(), *_mean_claims(), *_other_claims()]


def _label_claims() -> list[Claim]:
    claims = []
    for name, shown in NAMES.items():
        classes, items, votes, spread = LABELS[name]
        mean, _, sd = spread.partition(" ± ")
        claims += [
            Claim(
                key=f"table-1-{name}", source=f"table 1, {shown}; section 3.1",
                claim=f"{shown} has {items:,} items over {classes} classes",
                published=f"{items:,} items, {classes} classes, {votes} answers each",
            ),
            Claim(
                key=f"table-1-{name}-entropy", source=f"table 1, {shown}, mean entropy",
                claim=f"People disagree about the items of {shown}: their mean normalised entropy is well above 0",
                published=mean,
            ),
            Claim(
                key=f"figure-3-{name}", source=f"table 1, ± of the entropy; figures 1 and 3, {shown}",
                claim=f"On some items of {shown} people agree, on others they do not: entropies are spread out",
                published=f"{sd}, the standard deviation over items",
            ),
        ]  # fmt: skip
    return claims


def _setting_claims() -> list[Claim]:
    return [
        Claim(
            key=f"table-2-{name}-{targets}", source=f"table 2, {shown}, {targets}",
            claim=f"The validation loss chooses these settings for {targets} labels of {shown}",
            published=setting_text(setting),
        )
        for name, shown in NAMES.items() for targets, setting in CHOSEN[name].items()
    ]  # fmt: skip


def setting_text(setting: tuple[Any, ...]) -> str:
    """A row of table 2 in words."""
    rate, batch, epochs, decay, scheduler = setting
    return (
        f"learning rate {rate:g}, batch {batch}, {epochs} epochs, weight decay {decay:g}, scheduler "
        f"{scheduler or 'none'}"
    )


def _score_claims() -> list[Claim]:
    claims = []
    for name, shown in NAMES.items():
        for metric, (hard, soft) in SCORES[name].items():
            claims.append(_comparison(name, shown, metric, hard, soft))
            if metric in ("accuracy", "kl"):
                claims.append(_significance(name, shown, metric))
    return claims


def _comparison(name: str, shown: str, metric: str, hard: str, soft: str) -> Claim:
    said = {
        "kl": f"On {shown}, soft labels bring the model closer to people",
        "entropy_correlation": f"On {shown}, soft labels make the model unsure where people disagree",
        "accuracy": f"On {shown}, soft labels are {'more' if name == 'chaosnli' else 'as'} accurate",
    }[metric]
    about = f"; {OVER}" if "±" in hard else f" ({GAINS[name]})"
    return Claim(
        key=f"table-{4 if metric == 'entropy_correlation' else 3}-{name}-{metric}",
        source=f"table {'4' if metric == 'entropy_correlation' else '3'}, {shown}, {METRIC_NAMES[metric]}",
        claim=said, published=f"hard {hard}, soft {soft}{about}",
    )  # fmt: skip


def _significance(name: str, shown: str, metric: str) -> Claim:
    p = dict(zip(("accuracy", "kl"), P_VALUES[name], strict=True))[metric]
    sure = metric == "kl" or name == "chaosnli"
    what = {"kl": "KL to people", "accuracy": "accuracy"}[metric]
    return Claim(
        key=f"table-3-{name}-{metric}-p", source=f"table 3, {shown}, t-test",
        claim=f"On {shown}, the difference in {what} is {'beyond' if sure else 'within'} chance",
        published=f"p = {p}, paired t-test over {RUNS} seeds, judged at 0.05",
    )  # fmt: skip


def _mean_claims() -> list[Claim]:
    return [
        Claim(
            key="table-4-mean-kl", source="table 4, last row; abstract; section 4.2",
            claim="Over the three sets, soft labels lower KL to people by a third on average", published="32%",
        ),
        Claim(
            key="table-4-mean-correlation", source="table 4, last row; abstract; section 4.3",
            claim="Over the three sets, soft labels raise the correlation of entropies by more than half on average",
            published="+61%",
        ),
        Claim(
            key="section-4.2-certain", source="section 4.2",
            claim="The differences in KL on all sets and in accuracy on ChaosNLI are highly significant",
            published=f"p < 0.001 in each, paired t-test over {RUNS} seeds",
        ),
        Claim(
            key="section-4.2-accuracy", source="abstract; section 1.2; section 4.2",
            claim="Soft labels cost no accuracy on any of the three sets", published="no set on which accuracy falls",
        ),
        Claim(
            key="section-4.2-domains", source="section 4.2",
            claim="Texts and images gain alike: KL falls and the correlation of entropies rises on every set",
            published="3 of 3 sets, both scores",
        ),
        Claim(
            key="section-4.3-largest", source="section 4.3",
            claim="The correlation of entropies gains most on ChaosNLI, which has the most answers per item",
            published=", ".join(f"{shown} {GAINS[name]}" for name, shown in NAMES.items()),
        ),
    ]  # fmt: skip


def _other_claims() -> list[Claim]:
    claims = [
        Claim(
            key="figure-2", source="figure 2",
            claim="Also where both models choose the class that most people chose, soft labels bring the prediction "
            "closer to people",
            published="KL 0.01 with soft, 0.08 with hard labels, on one item",
        ),
    ]  # fmt: skip
    for name, shown in NAMES.items():
        claims += [
            Claim(
                key=f"figure-4-{name}", source=f"figure 4, {shown}; section 4.1",
                claim=f"On {shown}, the validation loss of soft labels is lowest at a later epoch than that of hard "
                "labels",
                published="a figure without numbers",
            ),
            Claim(
                key=f"figure-5-{name}", source=f"figure 5, {shown}; section 4.2",
                claim=f"On the most disputed items of {shown}, predictions from soft labels are as spread out as "
                "people's answers, and those from hard labels are not",
                published="a figure of one item",
            ),
        ]  # fmt: skip
    return [
        *claims,
        Claim(
            key="section-4.1-longer", source="section 1.2; section 4.1",
            claim="Soft labels can be trained on for more epochs before the validation loss stops falling",
            published="said of the curves of figure 4",
        ),
        Claim(
            key="section-5-moderate", source="section 4.3; section 5",
            claim="A few answers per item are enough for soft labels to help", published="6.7 answers on POPQUORN",
        ),
        Claim(
            key="section-5-answers", source="section 5",
            claim="The more answers per item, the more soft labels help",
            published="said of 6.7 answers on POPQUORN and 100 on ChaosNLI",
        ),
        Claim(
            key="section-5-general", source="section 5",
            claim="Soft labels lead to representations that generalise better: to small data and to other domains",
            published="without numbers, as what the curves suggest",
        ),
    ]  # fmt: skip


CLAIMS = tuple(_claims())
