"""Claims of sections 3 to 6 and appendix A: formulas, simulations, preferences, sparse labels."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import Direction, NotBeyond, each, equals, exactly, less, more, negative, positive
from dissensus.papers.sucholutsky2023.observe_simulated import BORDER, CORNER, FEW_ITEMS, FEWER, MANY_ITEMS, MORE
from dissensus.papers.sucholutsky2023.simulation import BETAS

NOTHING_PRINTED = "a figure without numbers"
AS_GOOD = 0.1  # of the utility of perfect recovery: a smaller loss is about as good
NO_WORSE = 0.02  # of rho
CERTAIN = 1e-15
DIMENSIONS = (5, 25, 125)
REGIMES = {
    "one-shot": "items and classes growing together",
    "many-shot": "items growing",
    "less-than-one-shot": "classes growing",
}


def simulated_claims() -> Iterator[Claim]:
    """In the order of the paper."""
    yield from _theory_claims()
    yield from _map_claims()
    yield from _preference_claims()
    yield from _sparsity_claims()


def _theory_claims() -> Iterator[Claim]:
    formulas = {
        "total-queries": ("all queries", "All questions 'is a closer to b than to c?'", "3 C(n + k, 3)"),
        "hard-constraints": ("hard", "Questions that evenly spread hard labels answer", "n (k - 1) + n² (1 - 1/k)"),
        "soft-constraints": ("soft", "Questions that soft labels answer", "k n (k + n - 2)/2"),
        "ratio-is-unanswered": ("ratio", "The information ratio is 1 less the unanswered share", "IR = 1 - H / H_max"),
    }
    for key, (arm, text, formula) in formulas.items():
        yield Claim(
            key=key,
            source="section 3",
            claim=f"{text}: sizes at which a count differs from the formula",
            published=f"{formula}: 0",
            judge=exactly("mismatches", arm, "0"),
        )
    yield Claim(
        key="noisy-constraints",
        source="section 3, signal-to-noise ratio",
        claim="If answers flip with probability ε, a share 1 - ε stays right: rates at which it does not",
        published="(1 - ε) T: 0",
        judge=exactly("rates_off", "flips", "0"),
    )
    limits = "figure 1, analysis; section 3"
    yield Claim(
        key="limits-many-shot",
        source=limits,
        claim="With many items per class, the ratios of hard and soft labels fall alike: difference of exponents",
        published=f"{NOTHING_PRINTED}; 0 in the limit",
        judge=exactly("exponent_gap", "soft less hard", "0.00", where="many-shot"),
    )
    yield Claim(
        key="limits-one-shot",
        source=limits,
        claim="With one item per class, the ratio of soft labels does not fall as classes are added: exponent",
        published=f"{NOTHING_PRINTED}; 0 in the limit",
        judge=exactly("exponent", "soft", "0.00", where="one-shot"),
    )
    yield Claim(
        key="limits-soft-ahead",
        source=limits,
        claim="With at most one item per class, soft labels get ever further ahead: difference of exponents",
        published=f"{NOTHING_PRINTED}; 1 in the limit",
        judge=each(
            *(
                exactly("exponent_gap", "soft less hard", "1.00", where=regime)
                for regime in ("one-shot", "less-than-one-shot")
            )
        ),
    )
    for kind, count in (("soft", "3"), ("hard", "2")):
        yield Claim(
            key=f"phases-{kind}",
            source=limits,
            claim=f"Number of scaling phases of the ratio of {kind} labels",
            judge=exactly("phases", kind, count),
        )


def _map_claims() -> Iterator[Claim]:
    simulated = "figure 1, simulations; section 4"
    for kind in ("soft", "hard"):
        for regime, text in REGIMES.items():
            stays = (kind, regime) == ("soft", "one-shot")
            change = difference("rho", kind, kind, f"{regime}, large", base_where=f"{regime}, small")
            yield Claim(
                key=f"simulated-{kind}-{regime}",
                source=simulated,
                claim=f"{kind.capitalize()} labels, {text}: recovery {'does not degrade' if stays else 'degrades'}",
                published=NOTHING_PRINTED,
                judge=NotBeyond(change, -1, NO_WORSE) if stays else negative(change),
            )
    yield Claim(
        key="simulated-ratio",
        source=simulated,
        claim="Recovery rises with the information ratio, over both kinds of label: rank correlation",
        published=NOTHING_PRINTED,
        judge=positive(value_of("ratio_correlation", "both kinds")),
    )
    for kind in ("soft", "hard"):
        yield Claim(
            key=f"simulated-ratio-{kind}",
            source=simulated,
            claim=f"Recovery rises with the information ratio also among {kind} labels alone: rank correlation",
            published=NOTHING_PRINTED,
            judge=positive(value_of("ratio_correlation", kind)),
        )
    yield Claim(
        key="simulated-soft-above-hard",
        source=simulated,
        claim="Soft labels recover similarities better than hard ones: Spearman's rho",
        published=NOTHING_PRINTED,
        judge=more("rho", "soft", than="hard"),
    )
    for d in DIMENSIONS:
        yield Claim(
            key=f"simulated-map-{d}",
            source=f"{simulated}, d = {d}",
            claim=f"Also in the heat map with {d} latent dimensions, soft labels recover similarities better",
            published=NOTHING_PRINTED,
            judge=more("rho", "soft", than="hard", where=f"d = {d}"),
        )
    yield Claim(
        key="simulated-few-labels",
        source="section 4",
        claim="Soft labels gain most with few labels and many classes: gain with n < k less gain with n > k",
        published="no number",
        judge=positive(difference("rho", "soft", "hard", FEWER) - difference("rho", "soft", "hard", MORE)),
    )


def _preference_claims() -> Iterator[Claim]:
    traded = "figure 1, bottom; section 5"
    low, high = min(BETAS), max(BETAS)
    border = [value_of("preference", "soft", f"β = {beta:g}, {BORDER}") for beta in BETAS]
    yield Claim(
        key="preferred-where-small",
        source=traded,
        claim="With few classes or items, soft labels are about as good a choice or better, at every weight of cost",
        published=NOTHING_PRINTED,
        judge=each(*(NotBeyond(worth, -1, AS_GOOD) for worth in border)),
    )
    yield Claim(
        key="preferred-where-cost-weighs",
        source=traded,
        claim="If cost has a high weight, hard labels are preferred for many items and classes: soft over hard",
        published=NOTHING_PRINTED,
        judge=negative(value_of("preference", "soft", f"β = {high:g}, {CORNER}")),
    )
    yield Claim(
        key="preferred-where-cost-is-light",
        source=traded,
        claim="If cost has a low weight, soft labels are preferred for many items and classes: soft over hard",
        published=NOTHING_PRINTED,
        judge=positive(value_of("preference", "soft", f"β = {low:g}, {CORNER}")),
    )
    yield Claim(
        key="guidance-rule",
        source="appendix A",
        claim="Soft labels are preferred more strongly with few items than with many",
        published="a rule of thumb",
        judge=more("preference", "soft", where=FEW_ITEMS, than="soft", than_where=MANY_ITEMS),
    )
    yield Claim(
        key="guidance-pilot",
        source="appendix A",
        claim="After a small pilot, the chosen kind of label is nearer to the best one: loss beyond the best kind",
        published="a guidance",
        judge=less("regret", "after", than="before"),
    )


def _sparsity_claims() -> Iterator[Claim]:
    figure_3 = "figure 3; section 6"
    yield Claim(
        key="effective-r",
        source="section 6; figure 2",
        claim="Effective dimensionality of soft labels rises with their information ratio: r over 900 cells",
        judge=equals("effective_r", "soft", "0.734", where="d = 25"),
    )
    yield Claim(
        key="effective-p",
        source="section 6, figure 2",
        claim="That correlation is significant at a level of 1e-15",
        published="p < 1e-15",
        judge=Direction(value_of("effective_r", "soft", "d = 25"), 1, CERTAIN),
    )
    yield Claim(
        key="effective-below-k",
        source="figure 2; section 6",
        claim="Soft labels are worth far fewer principal components than classes: fewer than half",
        published=NOTHING_PRINTED,
        judge=less("dimensions", "components", than="half of the classes", where="d = 25"),
    )
    yield Claim(
        key="sparse-above-top-class",
        source=figure_3,
        claim="The largest classes of each item tell more than the same classes for all items: rho",
        published=NOTHING_PRINTED,
        judge=more("rho_kept", "sparse", than="top-class"),
    )
    yield Claim(
        key="components-above-sparse",
        source=figure_3,
        claim="As many principal components tell more than sparse labels: rho",
        published=NOTHING_PRINTED,
        judge=more("rho_kept", "components", than="sparse"),
    )
    yield Claim(
        key="sparse-keeps-much",
        source=figure_3,
        claim="Sparse labels with at most half of the classes keep more than half of the gain of soft over hard labels",
        published=NOTHING_PRINTED,
        judge=more("share_kept", "sparse", than="half"),
    )
    yield Claim(
        key="sparse-is-best",
        source="figure 6; section 6",
        claim="With the right number of classes, sparse labels have a lower loss than both hard and soft labels",
        published=NOTHING_PRINTED,
        judge=less("loss", "sparse", than="hard or soft"),
    )
