"""Every claim of the paper: those about all votes with their judges, then the others."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.gheibi2026.inside_claims import INSIDE_CLAIMS
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, METRICS, in_title
from dissensus.papers.gheibi2026.sweep_claims import NO_NUMBERS, SWEEP_CLAIMS
from dissensus.papers.judges import Same, each, less, more, not_less, positive, same

# What counts as no difference: the spread over seeds that tables 2 and 5 print for soft labels.
MARGINS = {
    "soft_nll": 0.0233,
    "accuracy": 0.0081,
    "ece_equal_mass": 0.0040,
    "entropy_spearman": 0.0190,
    "kl": 0.0228,
    "brier": 0.0096,
}


def _main_claims() -> Iterator[Claim]:
    """Tables 2 and 5: all votes."""
    for metric, margin in MARGINS.items():
        table = "table 5" if metric in ("kl", "brier") else "table 2"
        yield Claim(
            key=f"table-2-{metric}",
            source=f"{table}, SLS and soft labels, {METRICS[metric]}",
            claim=f"With all votes, SLS and soft labels have the same {METRICS[metric]}",
            judge=same(metric, "sls", "soft", margin=margin),
        )
        if metric == "accuracy":
            continue
        better, word = (more, "higher") if metric == "entropy_spearman" else (less, "lower")
        for arm, key in (("soft", "table-2-others"), ("sls", "table-2-sls-others")):
            yield Claim(
                key=f"{key}-{metric}",
                source=table,
                claim=f"{in_title(DELIVERIES[arm])}: {word} {METRICS[metric]} than majority vote and label smoothing",
                judge=each(*(better(metric, arm, than=base) for base in ("majority", "smoothing"))),
            )
    yield Claim(
        key="table-2-mixup-accuracy",
        source="table 2, mixup",
        claim="Mixup is the most accurate",
        published="mixup 0.8824 ± 0.0046, SLS 0.8695 ± 0.0105, soft labels 0.8687 ± 0.0081, others lower",
        judge=each(*(more("accuracy", "mixup", than=base) for base in ("soft", "sls", "majority", "smoothing"))),
    )
    yield Claim(
        key="table-2-mixup-calibration",
        source="table 2, mixup",
        claim="Mixup is calibrated worse than soft labels, and its entropy follows that of people less",
        judge=each(
            more("ece_equal_mass", "mixup", than="soft"),
            less("entropy_spearman", "mixup", than="soft"),
        ),
    )
    yield Claim(
        key="table-5-mixup",
        source="table 5, mixup",
        claim="Mixup has a lower Brier score than soft labels",
        judge=less("brier", "mixup", than="soft"),
    )


def _diagnostic_claims() -> Iterator[Claim]:
    """Figures 3, 8 and 10: reliability and training."""
    yield Claim(
        key="figure-3-match",
        source="figure 3, section 5.2",
        claim="SLS and soft labels have the same smooth ECE",
        judge=same("smooth_ece", "sls", "soft", margin=MARGINS["ece_equal_mass"]),
    )
    yield Claim(
        key="figure-3-majority",
        source="figure 3, section 5.2",
        claim="Majority vote has a larger smooth ECE than soft labels",
        judge=more("smooth_ece", "majority", than="soft"),
    )
    yield Claim(
        key="figure-3-curves",
        source="figure 3, section 5.2",
        claim="The reliability curve of SLS is closer to that of soft labels than majority vote's: mean distance",
        published=NO_NUMBERS,
        judge=less("curve_distance", "sls", than="majority"),
    )
    yield Claim(
        key="figure-8-near",
        source="figure 8",
        claim="Epochs of 200 by which SLS comes within 5% of its best soft NLL sooner than soft labels",
        judge=positive(value_of("near_sooner", "sls")),
    )
    yield Claim(
        key="figure-8-best",
        source="figure 8",
        claim="Epochs of 200 by which SLS reaches its best epoch sooner than soft labels",
        judge=positive(value_of("best_sooner", "sls")),
    )
    yield Claim(
        key="figure-10-reliability",
        source="figure 10",
        claim="In the decomposition of the Brier score, SLS and soft labels are about equally reliable",
        published=NO_NUMBERS,
        judge=Same(difference("brier_reliability", "sls", "soft", relative=True), 0.5),
    )
    yield Claim(
        key="figure-10-resolution",
        source="figure 10",
        claim="In the decomposition of the Brier score, SLS has a slightly higher resolution",
        published=NO_NUMBERS,
        judge=more("brier_resolution", "sls", than="soft"),
    )


def _family_claims() -> Iterator[Claim]:
    """Table 3: hard deliveries next to each other."""
    for method in ("multipass", "deterministic_control"):
        name = DELIVERIES[method]
        for base in ("sls", "soft"):
            yield Claim(
                key=f"table-3-{method}-{base}",
                source=f"table 3, {name}, soft NLL",
                claim=f"With all votes, {name} has the same soft NLL as {DELIVERIES[base]}",
                judge=same("soft_nll", method, base, margin=MARGINS["soft_nll"]),
            )
        yield Claim(
            key=f"table-3-{method}-others",
            source=f"table 3, {name}",
            claim=f"{in_title(name)} and SLS have the same accuracy, ECE and correlation of entropies",
            published="p at least 0.625" if method == "multipass" else "the same pattern, without p",
            judge=each(
                *(
                    same(metric, method, "sls", margin=MARGINS[metric])
                    for metric in ("accuracy", "ece_equal_mass", "entropy_spearman")
                )
            ),
        )
    yield Claim(
        key="table-3-shuffled-nll",
        source="table 3, shuffled SLS, soft NLL",
        claim="Labels drawn for other images ruin the soft NLL: above soft labels, and no better than a uniform guess",
        published="shuffled SLS 2.2973 ± 0.0024, soft labels 0.5096 ± 0.0233",
        judge=each(
            more("soft_nll", "shuffled", than="soft"),
            not_less("soft_nll", "shuffled", than="chance", margin=0.1),
        ),
    )
    yield Claim(
        key="table-3-shuffled-accuracy",
        source="table 3, shuffled SLS, accuracy",
        claim="Labels drawn for other images leave accuracy near chance, a tenth",
        judge=same("accuracy", "shuffled", "chance", margin=0.05),
    )
    yield Claim(
        key="table-3-shuffled-entropy",
        source="table 3, shuffled SLS, correlation of entropies",
        claim="A model that learned the labels of other images is not unsure where people disagree: correlation 0",
        judge=Same(value_of("entropy_spearman", "shuffled"), 0.0556),
    )


CLAIMS = (
    *SWEEP_CLAIMS,
    *_main_claims(),
    *_diagnostic_claims(),
    *_family_claims(),
    *INSIDE_CLAIMS,
)
HEADLINES = (
    "table-1-all",
    "table-1-multipass-5",
    "table-3-multipass-soft",
    "table-3-shuffled-nll",
    "table-4-lambda_full",
)
