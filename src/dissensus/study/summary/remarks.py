"""Limits of the numbers: missing, failed or excluded cells, mixed code, tests without power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dissensus.evaluate.metrics import METRICS
from dissensus.study.description import StudyFolder
from dissensus.study.summary.arms import Arm
from dissensus.study.summary.cell_table import newest_commit
from dissensus.study.summary.paired import PairedDifference
from dissensus.study.summary.units import Measured, Record, Units, repeats

ALPHA = 0.05
FEW = 5  # pairs below which a t-test depends on its assumption of normality


def remarks_on(
    folder: StudyFolder,
    arms: Sequence[Arm],
    units: Units,
    scores: Mapping[str, Mapping[str, Measured]],
    differences: Sequence[PairedDifference],
) -> list[str]:
    """Remarks in the order of their weight."""
    return [
        *_count_cells(folder),
        *_count_seeds(arms, units),
        *_find_repeats(arms, units),
        *_find_not_finite(scores, units),
        *_power(differences),
        *_few_pairs(differences),
        *_find_left_out(differences),
        *_same_tests(differences),
        *_side(folder),
        *_split(folder),
        *_make(folder.records),
    ]


def _count_cells(folder: StudyFolder) -> list[str]:
    total = len(folder.records) + folder.missing
    failed = sum(record["status"] == "failed" for record in folder.records)
    remarks = []
    if not folder.records:
        return [f"None of the {total} cells of this study has been run."]
    if folder.missing:
        remarks.append(f"{folder.missing} of {total} cells have not been run; all results are without them.")
    if failed:
        remarks.append(f"{failed} of {total} cells failed; all results are without them.")
    if folder.others:
        remarks.append(
            f"The folder has {folder.others} more cells of an earlier version of the study; they are not used."
        )
    return remarks


def _count_seeds(arms: Sequence[Arm], units: Units) -> list[str]:
    remarks = []
    for arm in arms:
        there = units.whole(arm.done)
        lacking = [name for name in units.names if name not in there]
        if lacking:
            why = " (a seed counts only with all its folds)" if units.folds > 1 else ""
            remarks.append(f"{arm.name} lacks {_name_units(lacking, units)}{why}, so its means are over {len(there)}.")
    return remarks


_UNSURE = "a correlation needs entropies that vary over items: choose another metric"
_INFINITE = "smooth the predictions, or choose a metric that stays finite"


def _find_repeats(arms: Sequence[Arm], units: Units) -> list[str]:
    """Arms whose seeds all give the same training."""
    same = [arm.name for arm in arms if repeats(arm.done)]
    if not same:
        return []
    shown = ", ".join(same[:4]) + (f" and {len(same) - 4} more" if len(same) > 4 else "")
    return [
        f"All {units.kind}s of {shown} gave identical scores: nothing in the training is random, so they count as one "
        "training. There is no interval, and two such arms are not tested. Draw the split or the answers for each seed."
    ]


def _find_not_finite(scores: Mapping[str, Mapping[str, Measured]], units: Units) -> list[str]:
    return [
        f"{metric} of {arm} is infinite or undefined in {_name_units(each.not_finite, units)}, so it has no mean and "
        f"is not compared; {_UNSURE if metric in ('entropy_pearson', 'entropy_spearman') else _INFINITE}."
        for arm, row in scores.items()
        for metric, each in row.items()
        if each.not_finite
    ]


def _power(differences: Sequence[PairedDifference]) -> list[str]:
    """Tests that cannot be significant, whatever the numbers."""
    tested = [(d, d.test) for d in differences if d.test is not None and not d.same_as]
    # If no pair differs at all, more pairs would not help.
    blind = [(d, test) for d, test in tested if not test.decidable and any(d.values.values())]
    if not blind:
        return []
    d, worst = max(blind, key=lambda pair: pair[1].least)
    unequal = sum(value != 0 for value in d.values.values())
    pairs = f"{worst.n} pairs" if unequal == worst.n else f"{worst.n} pairs of which {unequal} differ"
    corrected = worst.least > worst.minimum_p
    family = f", and Holm's correction for {worst.family} tests makes that {worst.least:.2g}" if corrected else ""
    return [
        f"{len(blind)} of {len(tested)} tests cannot reach p < {ALPHA:g}, however large the difference: {pairs} "
        f"allow no p below {worst.minimum_p:.2g}{family}. Use more seeds or fewer comparisons."
    ]


def _few_pairs(differences: Sequence[PairedDifference]) -> list[str]:
    """t-tests of a handful of pairs, which cannot show whether differences are normal."""
    few = [d.test for d in differences if d.test is not None and not d.same_as and "t-test" in d.test.test]
    few = [test for test in few if test.n < FEW]
    if not few:
        return []
    least, most = (pick(test.n for test in few) for pick in (min, max))
    return [
        f"{len(few)} t-tests have only {least if least == most else f'{least} to {most}'} pairs: their p "
        "assumes normal differences, which so few cannot confirm. Use more seeds."
    ]


def _find_left_out(differences: Sequence[PairedDifference]) -> list[str]:
    remarks: dict[str, None] = {}
    for d in differences:
        if d.left_out:
            left = _name_units(d.left_out, d.units)
            remarks[f"{d.arm} against {d.baseline}: {left} left out, since only one of them has it."] = None
    return list(remarks)


def _same_tests(differences: Sequence[PairedDifference]) -> list[str]:
    pairs = dict.fromkeys((d.metric, d.same_as) for d in differences if d.same_as)
    return [
        f"{METRICS[metric].meaning} and {METRICS[other].meaning} differ from the baseline by the same amounts, so they "
        "are one test and count once."
        for metric, other in pairs
    ]


def _split(folder: StudyFolder) -> list[str]:
    remarks = []
    if folder.description["split"]["validation"] == "test":
        remarks.append("Models were chosen on the test items, so all scores are optimistic.")
    compare, scheme = folder.description["compare"], folder.description["split"]["scheme"]
    if compare is not None and compare["test"] == "corrected-t" and scheme not in ("per-seed", "k-fold"):
        remarks.append(
            "The corrected t-test is for splits drawn per seed; here all seeds share one split, so it is conservative."
        )
    if compare is not None and compare["test"] != "corrected-t" and scheme in ("per-seed", "k-fold"):
        if scheme == "k-fold" and len(folder.description["seeds"]) == 1:
            remarks.append(
                'Pairs are folds of one seed, whose training sets overlap, so p is too small. Use test = "corrected-t".'
            )
        else:
            remarks.append(
                "Splits of all seeds share most items, so p is about more seeds on these items, not about other items. "
                'Use test = "corrected-t" for those.'
            )
    return remarks


def _side(folder: StudyFolder) -> list[str]:
    """A one-sided test is about the score, not about which arm is better."""
    compare = folder.description["compare"]
    if compare is None or compare["side"] == "two-sided":
        return []
    better = "lower" if compare["side"] == "less" else "higher"
    metrics = folder.description["evaluation"]["metrics"]
    worse = [metric for metric in metrics if METRICS[metric].better not in (better, "neither")]
    if not worse:
        return []
    way = "below" if compare["side"] == "less" else "above"
    return [
        f"side = {compare['side']} tests for every metric whether the arm scores {way} its baseline. By "
        f"{', '.join(worse)} such an arm is worse, so a better arm has a p near 1 there."
    ]


def _make(records: Sequence[Record]) -> list[str]:
    """Cells made by other commits, versions or machines than the newest."""
    remarks = []
    newest = newest_commit(records)
    older = Counter(str(record.get("commit")) for record in records if record.get("commit") != newest)
    if older:
        by = ", ".join(f"{commit}: {count}" for commit, count in older.items())
        remarks.append(f"{_cells_were(older.total())} made by another commit than the newest, {newest} ({by}).")
    dirty = sum(str(record.get("commit", "")).endswith("-dirty") for record in records)
    if dirty:
        remarks.append(f"{_cells_were(dirty)} made by code with uncommitted changes.")
    versions: dict[str, Counter[str]] = {}
    for record in records:
        for name, version in record["packages"].items():
            versions.setdefault(name, Counter())[version] += 1
    for name, counts in versions.items():
        if len(counts) > 1:
            by = ", ".join(f"{version}: {count}" for version, count in counts.items())
            remarks.append(f"Cells were made with different versions of {name} ({by}).")
    machines = Counter(record["hardware"] for record in records)
    if len(machines) > 1:
        remarks.append(
            f"Cells were made on different hardware ({', '.join(f'{m}: {n}' for m, n in machines.items())})."
        )
    return remarks


def _name_units(names: Sequence[str], units: Units) -> str:
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return f"{units.kind if len(names) == 1 else units.kind + 's'} {shown}"


def _cells_were(count: int) -> str:
    return "1 cell was" if count == 1 else f"{count} cells were"
