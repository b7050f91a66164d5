"""Every claim of the paper, with its judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from dissensus.papers.claims import Claim, Conclusion, read_statements
from dissensus.papers.combined_judges import Judge
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import each, equals, exactly, holds_in, less, more, not_less, positive, same, untestable
from dissensus.papers.outcomes import Judgement
from dissensus.papers.published import read_published
from dissensus.papers.singh2025.observe import CHOSEN, MEAN, NAMES
from dissensus.papers.strength import excludes_zero

claim = read_statements("singh2025")
PUBLISHED = read_published("singh2025")
POLITENESS = untestable("only the offensiveness ratings are here; the paper takes politeness")
CERTAIN = 0.001  # the paper's word for it is p < 0.001
SEEDS = 10  # of the paper's tests
MARGINS = {"POPQUORN": 1.25, "CIFAR-10H-Hard": 2.47}  # points: the smaller of the two printed spreads over seeds
KL_GAINS = {"chaosnli": "13", "popquorn": "16", "cifar10h-hard": "32"}  # percent; the last one is in the abstract
GAINS = {"chaosnli": "119", "popquorn": "24", "cifar10h-hard": "40"}
COUNTS = {"chaosnli": ("3113", "3"), "popquorn": ("3700", "5"), "cifar10h-hard": ("1103", "10")}  # items, classes
ENTROPIES = {"chaosnli": ("0.59", "0.20"), "popquorn": ("0.62", "0.18"), "cifar10h-hard": ("0.24", "0.16")}
SETS = tuple(NAMES.values())
READER_NAMES = {"soft": "soft labels", "hard": "hard labels", "heads": "heads on frozen features"}


def _label_claims(name: str, shown: str) -> Iterator[Claim]:
    of_set, (items, classes), (mean, sd) = _statements(name, shown), COUNTS[name], ENTROPIES[name]
    counts = each(exactly("items", "people", items, where=shown), exactly("classes", "people", classes, where=shown))
    yield of_set("table-1-{name}", _released(name, counts), items=int(items), classes=classes)
    entropy, entropy_sd = (
        _released(name, exactly(metric, "people", printed, where=shown))
        for metric, printed in (("entropy", mean), ("entropy_sd", sd))
    )
    yield of_set("table-1-{name}-entropy", entropy, mean=mean)
    yield of_set("figure-3-{name}", entropy_sd, sd=sd)


def _setting_claims(name: str, shown: str) -> Iterator[Claim]:
    for targets, (rate, batch, epochs, decay, scheduler) in CHOSEN[name].items():
        words = {"targets": targets, "rate": rate, "batch": batch, "epochs": epochs, "decay": decay}
        judge = _released(name, exactly("rank", targets, "1", where=shown))
        yield _statements(name, shown)("table-2-{name}-{targets}", judge, **words, scheduler=scheduler or "none")


def _score_claims(name: str, shown: str) -> Iterator[Claim]:
    of_set = _statements(name, shown)
    if name == "chaosnli":
        higher = more("accuracy", "soft", than="hard", where=shown)
        yield of_set("table-3-{name}-accuracy", higher, compared="more")
    else:
        alike = same("accuracy", "soft", "hard", where=shown, margin=MARGINS[shown])
        yield of_set("table-3-{name}-accuracy", alike, compared="as")
    yield of_set("table-3-{name}-kl", less("kl", "soft", than="hard", where=shown))
    yield of_set("table-3-{name}-kl-p", less("kl", "soft", than="hard", where=shown, level=CERTAIN, runs=SEEDS))
    yield of_set("table-4-{name}-entropy_correlation", more("entropy_correlation", "soft", than="hard", where=shown))
    for key, metric, gain in (("gain", "correlation_gain", GAINS[name]), ("kl-gain", "kl_gain", KL_GAINS[name])):
        judge = _released(name, equals(metric, "soft", gain, where=shown))
        yield of_set(f"table-4-{{name}}-{key}", judge, gain=gain)


def _dynamics_claims(name: str, shown: str) -> Iterator[Claim]:
    of_set = _statements(name, shown)
    yield of_set("figure-4-{name}", more("best_epoch", "soft", than="hard", where=shown))
    nearer = less("top_entropy_gap", "soft", than="hard", where=shown)
    yield of_set("figure-5-{name}", each(nearer, less("top_entropy", "hard", than="people", where=shown)))


def _statements(name: str, shown: str) -> Callable[..., Claim]:
    return partial(claim, name=name, shown=shown)


def _released(name: str, judge: Judge) -> Judge:
    return POLITENESS if name == "popquorn" else judge


def _overall_claims() -> Iterator[Claim]:
    yield claim("figure-1", more("entropy_sd_within", "people", than="uniform noise", where="CIFAR-10H"))
    kl = [-difference("kl", "soft", "hard", name) for name in SETS]
    correlation = [difference("entropy_correlation", "soft", "hard", name) for name in SETS]
    yield claim("table-4-mean-kl", equals("kl_gain", "soft", "32", where=MEAN))
    yield claim("table-4-mean-correlation", equals("correlation_gain", "soft", "61", where=MEAN))
    accuracy = more("accuracy", "soft", than="hard", where="ChaosNLI", level=CERTAIN, runs=SEEDS)
    lower = [less("kl", "soft", than="hard", where=name, level=CERTAIN, runs=SEEDS) for name in SETS]
    yield claim("section-4.2-certain", each(*lower, accuracy))
    kept = [not_less("accuracy", "soft", than="hard", where=name, margin=1.25) for name in SETS]
    yield claim("section-4.2-accuracy", each(*kept))
    yield claim("section-4.2-domains", holds_in([*kl, *correlation], 1, printed=6))
    gain = {name: value_of("correlation_gain", "soft", name) for name in SETS}
    yield claim("section-4.3-largest", each(*(positive(gain["ChaosNLI"] - gain[name]) for name in SETS[1:])))
    yield claim("figure-2", holds_in([difference("kl_agreeing", "soft", "hard", name) for name in SETS], -1))
    yield claim("section-4.1-longer", holds_in([difference("stopped_epoch", "soft", "hard", name) for name in SETS], 1))
    fewer = [
        difference("kl", "hard", "soft", name) - difference("kl", "hard", "soft", f"{name}, 5 answers")
        for name in ("ChaosNLI", "CIFAR-10H-Hard")
    ]
    yield claim("section-5-answers", holds_in(fewer, 1))
    yield claim(
        "section-5-general",
        untestable("the paper tests no transfer, and with frozen features no representation is learned"),
    )


def _claims() -> Iterator[Claim]:
    for make in (_label_claims, _setting_claims, _score_claims, _dynamics_claims):
        for name, shown in NAMES.items():
            yield from make(name, shown)
    yield from _overall_claims()


CLAIMS = tuple(_claims())
HEADLINES = (
    "table-4-mean-kl",
    "table-3-chaosnli-kl",
    "table-3-cifar10h-hard-kl",
    "table-4-mean-correlation",
    "section-4.2-accuracy",
    "section-4.1-longer",
)


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    kl, correlation = (judgements[f"table-4-mean-{name}"] for name in ("kl", "correlation"))
    accuracies = [judgements[f"table-3-{name}-accuracy"].deciding for name in NAMES]
    changed = sum(outcome is not None and excludes_zero(outcome.value) for outcome in accuracies)
    own = np.mean([difference("kl", "soft", "hard", of, relative=True).published_value(PUBLISHED, "") for of in SETS])
    return Conclusion(
        short=f"With soft labels, KL to people {_change(kl, 'falls', 'rises')} over three sets (the paper's abstract: "
        f"32%, its table 3: {-own:.0%}), and the correlation of entropies {_change(correlation, 'rises', 'falls')} "
        f"(61%). Accuracy changes significantly on {changed} of 3 sets.",
        practice="If you have several answers per item, train on their distribution. How much closer to people a model "
        "comes depends on the set; accuracy hardly tells.",
        caution="The paper's 32% is its gain on CIFAR-10H-Hard alone. The heads have frozen features of other encoders "
        "than the paper's, and POPQUORN's offensiveness ratings replace its politeness ratings.",
    )


def _change(judgement: Judgement, gain: str, loss: str) -> str:
    """A gain in percent, and whether it is too weak to tell."""
    outcome = judgement.deciding
    if outcome is None:
        return "changes by an unknown share"
    weak = " (too weak to tell)" if judgement.verdict == "too weak to tell" else ""
    return f"{gain if outcome.value.value >= 0 else loss} by {abs(outcome.value.value):.0f}%{weak}"
