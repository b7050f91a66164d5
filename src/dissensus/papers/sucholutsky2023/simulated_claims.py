"""Claims of sections 3 to 6 and appendix A: formulas, simulations, preferences, sparse labels."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import Direction, NotBeyond, each, equals, exactly, less, more, negative, positive
from dissensus.papers.sucholutsky2023.observe_simulated import BORDER, CORNER, FEW_ITEMS, FEWER, MANY_ITEMS, MORE
from dissensus.papers.sucholutsky2023.simulation import BETAS

claim = read_statements("sucholutsky2023")
AS_GOOD = 0.1  # of the utility of perfect recovery: a smaller loss is about as good
NO_WORSE = 0.02  # of rho
CERTAIN = 1e-15
DIMENSIONS = (5, 25, 125)
REGIMES = {
    "one-shot": "items and classes growing together",
    "many-shot": "items growing",
    "less-than-one-shot": "classes growing",
}


def _theory_claims() -> Iterator[Claim]:
    yield claim("total-queries", exactly("mismatches", "all queries", "0"))
    yield claim("hard-constraints", exactly("mismatches", "hard", "0"))
    yield claim("soft-constraints", exactly("mismatches", "soft", "0"))
    yield claim("ratio-is-unanswered", exactly("mismatches", "ratio", "0"))
    yield claim("noisy-constraints", exactly("rates_off", "flips", "0"))
    yield claim("limits-many-shot", exactly("exponent_gap", "soft less hard", "0.00", where="many-shot"))
    yield claim("limits-one-shot", exactly("exponent", "soft", "0.00", where="one-shot"))
    few_items = ("one-shot", "less-than-one-shot")
    ahead = [exactly("exponent_gap", "soft less hard", "1.00", where=regime) for regime in few_items]
    yield claim("limits-soft-ahead", each(*ahead))
    for kind, count in (("soft", "3"), ("hard", "2")):
        yield claim("phases-{kind}", exactly("phases", kind, count), kind=kind)


def _map_claims() -> Iterator[Claim]:
    for kind in ("soft", "hard"):
        for regime, text in REGIMES.items():
            words = {"kind": kind, "labels": f"{kind.capitalize()} labels", "regime": regime, "sizes": text}
            change = difference("rho", kind, kind, f"{regime}, large", base_where=f"{regime}, small")
            if (kind, regime) == ("soft", "one-shot"):
                stays = NotBeyond(change, -1, NO_WORSE)
                yield claim("simulated-{kind}-{regime}", stays, **words, change="does not degrade")
            else:
                yield claim("simulated-{kind}-{regime}", negative(change), **words, change="degrades")
    yield claim("simulated-ratio", positive(value_of("ratio_correlation", "both kinds")))
    for kind in ("soft", "hard"):
        yield claim("simulated-ratio-{kind}", positive(value_of("ratio_correlation", kind)), kind=kind)
    yield claim("simulated-soft-above-hard", more("rho", "soft", than="hard"))
    for d in DIMENSIONS:
        yield claim("simulated-map-{d}", more("rho", "soft", than="hard", where=f"d = {d}"), d=d)
    fewer, more_items = (difference("rho", "soft", "hard", where) for where in (FEWER, MORE))
    yield claim("simulated-few-labels", positive(fewer - more_items))


def _preference_claims() -> Iterator[Claim]:
    low, high = min(BETAS), max(BETAS)
    border = [value_of("preference", "soft", f"β = {beta:g}, {BORDER}") for beta in BETAS]
    yield claim("preferred-where-small", each(*(NotBeyond(worth, -1, AS_GOOD) for worth in border)))
    yield claim("preferred-where-cost-weighs", negative(value_of("preference", "soft", f"β = {high:g}, {CORNER}")))
    yield claim("preferred-where-cost-is-light", positive(value_of("preference", "soft", f"β = {low:g}, {CORNER}")))
    yield claim("guidance-rule", more("preference", "soft", where=FEW_ITEMS, than="soft", than_where=MANY_ITEMS))
    yield claim("guidance-pilot", less("regret", "after", than="before"))


def _sparsity_claims() -> Iterator[Claim]:
    yield claim("effective-r", equals("effective_r", "soft", "0.734", where="d = 25"))
    yield claim("effective-p", Direction(value_of("effective_r", "soft", "d = 25"), 1, CERTAIN))
    yield claim("effective-below-k", less("dimensions", "components", than="half of the classes", where="d = 25"))
    yield claim("sparse-above-top-class", more("rho_kept", "sparse", than="top-class"))
    yield claim("components-above-sparse", more("rho_kept", "components", than="sparse"))
    yield claim("sparse-keeps-much", more("share_kept", "sparse", than="half"))
    yield claim("sparse-is-best", less("loss", "sparse", than="hard or soft"))


SIMULATED_CLAIMS = (*_theory_claims(), *_map_claims(), *_preference_claims(), *_sparsity_claims())
