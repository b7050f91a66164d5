"""The result of a study in sentences: the best arm, its lead over the baseline, and what the tests allow to claim."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.significance import Comparison
from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_limits, format_number, format_p
from dissensus.study.reporting.words import SIDES
from dissensus.study.summary.paired import PairedDifference
from dissensus.study.summary.summary import Summary, rivals_of

ALPHA = 0.05
MOST_ANSWERS = 3  # data sets for which the best arm is named in the answer


def answer_study(summary: Summary) -> list[str]:
    """Word the result: first the best arm and its comparison with the baseline, then what limits the claim."""
    if not summary.arms or not any(arm.done for arm in summary.arms):
        return ["There is no answer yet: no cell of this study is done."]
    metric = summary.metrics[0]
    best = _name_best(summary, metric)
    compared = _compare_with_baseline(summary, metric, named=bool(best))
    sentences = [*(best or ([] if compared else [_explain_no_best(summary, metric)])), *compared]
    sentences += _compare_metrics(summary, metric)
    compare = summary.description["compare"]
    if compared and summary.units.kind == "fold" and compare["test"] != "corrected-t":
        sentences.append("Training sets of folds overlap, so this p is too small; use corrected-t.")
    if best and compare is None:
        sentences.append("The study has no baseline, so nothing was tested.")
    if summary.description["split"]["validation"] == "test":
        sentences.append("Models were chosen on the test items, so every score here is optimistic.")
    return sentences


def _name_best(summary: Summary, metric: str) -> list[str]:
    by = METRICS[metric]
    groups = _best_by_data(summary, metric)
    sentences = []
    for data, names in list(groups.items())[:MOST_ANSWERS]:
        each = summary.scores[names[0]][metric]
        rivals = len(rivals_of(data, metric, summary.arms, summary.scores))
        others = sum(arm.settings["data"] == data for arm in summary.arms) - rivals
        apart = f" ({others} more {'lacks' if others == 1 else 'lack'} seeds or a mean)" if others else ""
        lead = "is best" if len(names) == 1 else "tie for best"
        sentences.append(
            f"By {by.meaning} ({by.better} is better), {join_names([*map(quote, names)])} {lead} of {rivals} "
            f"arms{apart}: {format_number(each.interval.value)} on average over "
            f"{summary.units.format_count(each.n)}{_word_interval(each.interval)}."
        )
    more = len(groups) - MOST_ANSWERS
    return [*sentences, f"The table has {more} more data sets."] if more > 0 else sentences


def _explain_no_best(summary: Summary, metric: str) -> str:
    """The sentence if no arm is best by a metric, and none is compared."""
    by, scores = METRICS[metric], {name: row[metric] for name, row in summary.scores.items()}
    known = {name: each for name, each in scores.items() if not math.isnan(each.interval.value)}
    if not known:
        return f"There is no answer by {by.meaning}: no arm has a mean; the remarks give the reason."
    if len(known) == 1:
        (name, each), *_ = known.items()
        return (
            f"By {by.meaning}, {quote(name)} scores {format_number(each.interval.value)} on average over "
            f"{summary.units.format_count(each.n)}{_word_interval(each.interval)}. There is no other arm to compare it "
            "with."
        )
    why = "neither direction is better" if by.better == "neither" else "no two have the same data and seeds"
    return f"By {by.meaning}, none of {len(known)} arms is called best: {why}."


def _best_by_data(summary: Summary, metric: str) -> dict[str, list[str]]:
    """The best arms by one metric on each data set that has any; more than one if they tie."""
    groups: dict[str, list[str]] = {}
    for arm in summary.arms:
        if (arm.name, metric) in summary.best:
            groups.setdefault(str(arm.settings["data"]), []).append(arm.name)
    return groups


def _compare_metrics(summary: Summary, first: str) -> list[str]:
    """Metrics by which another arm is best."""
    leading = _best_by_data(summary, first)
    elsewhere: dict[str, list[str]] = {}  # metrics by the arms that are best
    for metric in summary.metrics[1:]:
        for data, names in _best_by_data(summary, metric).items():
            if data in leading and not set(names) & set(leading[data]):
                elsewhere.setdefault(join_names([*map(quote, names)]), []).append(METRICS[metric].meaning)
    parts = [f"{names} by {join_names(metrics)}" for names, metrics in elsewhere.items()]
    return [f"Other metrics disagree; best on average: {', '.join(parts[:MOST_ANSWERS])}."] if parts else []


def join_names(names: Sequence[str], most: int = 4) -> str:
    """Such as "a, b and c"; of many the first ones, and how many more."""
    shown = [*names[:most]] + ([f"{len(names) - most} more"] if len(names) > most else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _compare_with_baseline(summary: Summary, metric: str, *, named: bool) -> list[str]:
    """`named`: whether a sentence before this one names the metric."""
    differences = [d for d in summary.differences if d.metric == metric]
    if not differences:
        return []
    by = "" if named else f"By {METRICS[metric].meaning}, "
    leading = [d for d in differences if (d.arm, metric) in summary.best]
    focus = max(leading or differences, key=lambda d: abs(d.interval.value))
    size = word_size(focus, f" than {quote(focus.baseline)}", f" to {quote(focus.baseline)}")
    verdict = word_verdict([focus])
    sentence = f"{by}{quote(focus.arm)} is {size}; {verdict[0].lower()}{verdict[1:]}"
    if len(differences) == 1:
        return [sentence]
    baseline = ", ".join(f"{key} = {value}" for key, value in summary.description["compare"]["baseline"].items())
    words = [direction(d) for d in differences]
    tally = [f"{words.count(word)} {'is' if words.count(word) == 1 else 'are'} {word}" for word in dict.fromkeys(words)]
    counts = f"all are {words[0]}" if len(tally) == 1 else join_names(tally)
    compared = f"Of {len(differences)} arms compared with the baseline ({baseline}), {counts} on average."
    return [sentence, f"{compared} {word_verdict(differences)}"]


def quote(name: str) -> str:
    """An arm's name in a sentence: in quotes if it has spaces."""
    return f"“{name}”" if " " in name else name


def direction(difference: PairedDifference) -> str:
    """Whether the arm is better or worse than its baseline on average; higher or lower if neither is better."""
    value, better = difference.interval.value, METRICS[difference.metric].better
    if value == 0:
        return "equal"
    if better == "neither":
        return "higher" if value > 0 else "lower"
    return "better" if (value > 0) == (better == "higher") else "worse"


def word_size(difference: PairedDifference, than: str = "", to: str = "") -> str:
    """Such as "worse than soft by 0.0745 (95% CI 0.0226 to 0.1265), with the same sign in 3 of 3 seeds"."""
    where = direction(difference)
    if where == "equal":
        return f"equal{to} on average"
    value = difference.interval
    size = value if value.value > 0 else Interval(-value.value, -value.high, -value.low, value.sd, value.coverage)
    agree = f"{difference.agreeing} of {difference.units.format_count(difference.n)}"
    amount = f"{size.value:.4f}{_word_interval(size, '.4f')}"
    return f"{where}{than} by {amount}, with the same sign in {agree}"


def word_verdict(differences: Sequence[PairedDifference]) -> str:
    """Whether these differences are significant."""
    tests = [(d, d.test) for d in differences if d.test is not None]
    if not tests:
        return "No test was possible; the remarks give the reason."
    p_of = {d.arm: test.p if test.adjusted_p is None else test.adjusted_p for d, test in tests}
    significant = [d for d, _ in tests if p_of[d.arm] < ALPHA]
    family = max(test.family for _, test in tests)
    corrected = f", corrected for {family} tests" if family > 1 else ""
    side = _word_side(tests)
    if significant:
        # Splits drawn from the same items share what is peculiar to these items: only corrected-t allows for that.
        where = "" if all("corrected" in test.test for _, test in tests) else " on these items"
        p = format_p(max(p_of[d.arm] for d in significant))
        p = f"{p} or less" if len(significant) > 1 and p.startswith("p =") else p
        if len(differences) == 1:
            return f"The difference is significant{where} ({p}{corrected}).{side}"
        directions = {direction(d) for d in significant}
        names = [f"{quote(d.arm)} ({direction(d)})" if len(directions) > 1 else quote(d.arm) for d in significant]
        others = "" if len(significant) == len(differences) else "; the others do not"
        differ = "differs" if len(names) == 1 else "differ"
        return f"{join_names(names)} {differ} significantly from the baseline{where} ({p}{corrected}){others}.{side}"
    if not any(test.decidable for _, test in tests):
        d, test = min(tests, key=lambda pair: pair[1].least)
        return (
            f"With {d.units.format_count(test.n)} the test cannot reach p < {ALPHA:g}: its smallest possible p is "
            f"{format_number(test.least, 'p')}{corrected}.{side}"
        )
    if side and all(_is_on_other_side(d, test) for d, test in tests):
        return side.strip()
    what = "The difference is not significant" if len(differences) == 1 else "No difference is significant"
    smallest = "" if len(p_of) == 1 else "smallest "
    return f"{what} ({smallest}{format_p(min(p_of.values()))}{corrected}).{side}"


def _word_side(tests: Sequence[tuple[PairedDifference, Comparison]]) -> str:
    """The caveat of a one-sided test, if some difference has the other sign."""
    others = [quote(d.arm) for d, test in tests if _is_on_other_side(d, test)]
    if not others:
        return ""
    side = tests[0][1].alternative
    opposite = "above" if side == "less" else "below"
    are = "is" if len(others) == 1 else "are"
    return (
        f" The test asked only whether an arm is {SIDES[side]} its baseline; {join_names(others)} {are} {opposite}, "
        "which was not tested."
    )


def _is_on_other_side(difference: PairedDifference, test: Comparison) -> bool:
    value = difference.interval.value
    return (test.alternative == "less" and value > 0) or (test.alternative == "greater" and value < 0)


def _word_interval(interval: Interval, format: str = ".3f") -> str:
    limits = format_limits(interval, format)
    return f" (95% CI {limits})" if limits else ""
