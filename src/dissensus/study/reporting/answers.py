"""What came out of a study in sentences: who is best, and by how much each arm differs from its baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.significance import Comparison
from dissensus.labels.intervals import Interval
from dissensus.report.numbers import format_number
from dissensus.study.reporting.words import SIDES, limits
from dissensus.study.summary.paired import Difference
from dissensus.study.summary.summary import Summary, rivals_of

ALPHA = 0.05
MOST_ANSWERS = 3  # data sets for which the best arm is named in the answer


def answer(summary: Summary) -> list[str]:
    """Which arm does best, how far arms are from the baseline, and what the tests allow to say: some sentences."""
    if not summary.arms or not any(arm.done for arm in summary.arms):
        return ["There is no answer yet: no cell of this study is done."]
    metric = summary.metrics[0]
    best = _who_is_best(summary, metric)
    compared = _against_baseline(summary, metric, named=bool(best))
    said = [*(best or ([] if compared else [_no_best(summary, metric)])), *compared, *_other_metrics(summary, metric)]
    compare = summary.description["compare"]
    if compared and summary.units.kind == "fold" and compare["test"] != "corrected-t":
        said.append("Folds share most of what they learn from, so p is too small here; corrected-t allows for that.")
    if best and compare is None:
        said.append("The study names no baseline, so no test says whether chance alone would do that.")
    if summary.description["split"]["validation"] == "test":
        said.append("Models were chosen by the very items they are judged on, which flatters every number here.")
    return said


def _who_is_best(summary: Summary, metric: str) -> list[str]:
    by = METRICS[metric]
    groups = _best_by_data(summary, metric)
    sentences = []
    for data, names in list(groups.items())[:MOST_ANSWERS]:
        each = summary.scores[names[0]][metric]
        rivals = len(rivals_of(data, metric, summary.arms, summary.scores))
        others = sum(arm.settings["data"] == data for arm in summary.arms) - rivals
        apart = f" ({others} more {'lacks' if others == 1 else 'lack'} seeds or a mean)" if others else ""
        do = "does best" if len(names) == 1 else "do best, equally,"
        sentences.append(
            f"By {by.meaning}, where {by.better} is better, {_listed([*map(quoted, names)])} {do} of {rivals}{apart}: "
            f"{each.interval.value:.3f} on average over "
            f"{summary.units.counted(each.n)}{limits(each.interval, ' (95 % interval ', ')')}."
        )
    more = len(groups) - MOST_ANSWERS
    return [*sentences, f"For {more} more data sets, see the table."] if more > 0 else sentences


def _no_best(summary: Summary, metric: str) -> str:
    """What there is to say where no arm is best by a metric, and none is compared."""
    by, scores = METRICS[metric], {name: row[metric] for name, row in summary.scores.items()}
    known = {name: each for name, each in scores.items() if not math.isnan(each.interval.value)}
    if not known:
        return f"There is no answer by {by.meaning}: no arm has a mean; the remarks say why."
    if len(known) == 1:
        (name, each), *_ = known.items()
        return (
            f"By {by.meaning}, {quoted(name)} has {each.interval.value:.3f} on average over "
            f"{summary.units.counted(each.n)}{limits(each.interval, ' (95 % interval ', ')')}. "
            "There is no other arm to compare it with."
        )
    why = "neither direction is better" if by.better == "neither" else "no two are on the same data with the same seeds"
    return f"By {by.meaning} the table has the means of {len(known)} arms, of which none is called best: {why}."


def _best_by_data(summary: Summary, metric: str) -> dict[str, list[str]]:
    """The best arms by one metric, more than one where they are equal, on each data set that has any."""
    groups: dict[str, list[str]] = {}
    for arm in summary.arms:
        if (arm.name, metric) in summary.best:
            groups.setdefault(str(arm.settings["data"]), []).append(arm.name)
    return groups


def _other_metrics(summary: Summary, first: str) -> list[str]:
    """Metrics by which another arm does best, or by which the tests hold the opposite."""
    leading = _best_by_data(summary, first)
    elsewhere: dict[str, list[str]] = {}  # by the arms that do best, the metrics by which they do
    for metric in summary.metrics[1:]:
        for data, names in _best_by_data(summary, metric).items():
            if data in leading and not set(names) & set(leading[data]):
                elsewhere.setdefault(_listed([*map(quoted, names)]), []).append(METRICS[metric].meaning)
    parts = [f"{names} by {_listed(metrics)}" for names, metrics in elsewhere.items()]
    return [f"Other metrics say otherwise; best on average: {'; '.join(parts[:MOST_ANSWERS])}."] if parts else []


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = [*names[:most]] + ([f"{len(names) - most} more"] if len(names) > most else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _against_baseline(summary: Summary, metric: str, *, named: bool) -> list[str]:
    """`named`: whether a sentence before said which metric it is about."""
    differences = [d for d in summary.differences if d.metric == metric]
    if not differences:
        return []
    baseline = ", ".join(f"{key} = {value}" for key, value in summary.description["compare"]["baseline"].items())
    largest = max(differences, key=lambda d: abs(d.interval.value))
    by = "" if named else f"By {METRICS[metric].meaning}: "
    if len(differences) == 1:
        text = f"{by}Compared with {quoted(largest.baseline)}, {quoted(largest.arm)} is {size_words(largest)}."
        return [text, verdict(differences)]
    words = [direction(d) for d in differences]
    tally = [f"{words.count(word)} {'is' if words.count(word) == 1 else 'are'} {word}" for word in dict.fromkeys(words)]
    said = f"all are {words[0]}" if len(tally) == 1 else " and ".join(tally)
    text = f"{by}Of {len(differences)} arms compared with their baseline ({baseline}), {said} on average; "
    return [
        f"{text}the largest difference is that of {quoted(largest.arm)}: {size_words(largest)}.",
        verdict(differences),
    ]


def quoted(name: str) -> str:
    """An arm's name in a sentence: between quotes where it would be hard to tell where it ends."""
    return f"“{name}”" if " " in name else name


def direction(difference: Difference) -> str:
    """Whether the arm is better or worse than its baseline on average; higher or lower where neither is better."""
    value, better = difference.interval.value, METRICS[difference.metric].better
    if value == 0:
        return "equal"
    if better == "neither":
        return "higher" if value > 0 else "lower"
    return "better" if (value > 0) == (better == "higher") else "worse"


def size_words(difference: Difference) -> str:
    """Such as "worse by 0.0745 (0.0226 to 0.1265), in 3 of 3 seeds"."""
    where = direction(difference)
    if where == "equal":
        return "equal on average"
    value = difference.interval
    signed = value if value.value > 0 else Interval(-value.value, -value.high, -value.low, value.sd, value.coverage)
    agree = f"{difference.agreeing} of {difference.units.counted(difference.n)}"
    return f"{where} by {signed.value:.4f}{limits(signed, ' (', ')', '.4f')}, in {agree}"


def verdict(differences: Sequence[Difference]) -> str:
    """What the tests of these differences allow to say."""
    tests = [(d, d.test) for d in differences if d.test is not None]
    if not tests:
        return "No test could be made, for which see the remarks, so whether chance alone would do that remains open."
    p_of = {d.arm: test.p if test.adjusted_p is None else test.adjusted_p for d, test in tests}
    held = [d for d, _ in tests if p_of[d.arm] < ALPHA]
    family = max(test.family for _, test in tests)
    corrected = f", corrected for {family} tests" if family > 1 else ""
    side = _one_side(tests)
    if held:
        directions = {direction(d) for d in held}
        names = [f"{quoted(d.arm)} ({direction(d)})" if len(directions) > 1 else quoted(d.arm) for d in held]
        which = "That is" if len(differences) == 1 else f"For {_listed(names)} this is"
        rest = "" if len(held) == len(differences) else "; the others cannot be told from chance"
        largest = _p(max(p_of[d.arm] for d in held))
        most = f"{largest} or less" if len(held) > 1 and not largest.startswith("<") else largest
        # Splits drawn from the same items agree on what is peculiar to these: only corrected-t allows for that.
        where = "" if all("corrected" in test.test for _, test in tests) else " on these items"
        return f"{which} more than chance would do{where} (p {most}{corrected}){rest}.{side}"
    if not any(test.decidable for _, test in tests):
        d, test = min(tests, key=lambda pair: pair[1].least)
        return (
            f"The test cannot tell this from chance, and could not have: with {d.units.counted(test.n)} the least p it "
            f"can give is {format_number(test.least, 'p')}{corrected}.{side}"
        )
    if side and all(_against(d, test) for d, test in tests):
        return side.strip()
    return f"This cannot be told from chance (smallest p {_p(min(p_of.values()))}{corrected}).{side}"


def _one_side(tests: Sequence[tuple[Difference, Comparison]]) -> str:
    """What a one-sided test did not ask, where some difference lies on the other side."""
    other = [d.arm for d, test in tests if _against(d, test)]
    if not other:
        return ""
    side = tests[0][1].alternative
    way = "above" if side == "less" else "below"
    if len(tests) == 1:
        rest = f"which it is not: whether it is {way} more than by chance was not asked"
    else:
        rest = f"and says nothing of {_listed([*map(quoted, other)])}, which {'is' if len(other) == 1 else 'are'} {way}"
    return f" The test only asked whether an arm is {SIDES[side]} its baseline, {rest}."


def _against(difference: Difference, test: Comparison) -> bool:
    """Whether the difference lies on the side that a one-sided test does not look at."""
    value = difference.interval.value
    return (test.alternative == "less" and value > 0) or (test.alternative == "greater" and value < 0)


def _p(value: float) -> str:
    text = format_number(value, "p")
    return text if text.startswith("<") else f"= {text}"
