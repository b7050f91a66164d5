"""Every score of a model against people in one run: the sweep, and the fastest peer for each number.

    python benchmarks/scorecard.py                       10 million rows, 10 classes, float64
    python benchmarks/scorecard.py --rows 300000 --single

One core, processor time beside wall time. Compilation is reported separately. Peers that are not installed are left
out. Memory is the increase in the peak memory of the process, inputs included (Linux).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from scipy import special, stats  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

from dissensus.evaluate.alignment import auroc  # noqa: E402
from dissensus.evaluate.one_pass import sweep  # noqa: E402

Work = Callable[[], float]


def simulate_labels(n: int, k: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """People from a Dirichlet, and a model that mixes them with noise."""
    rng = np.random.default_rng(0)
    model, people = np.empty((n, k), dtype), np.empty((n, k), dtype)
    for start in range(0, n, 500_000):
        rows = slice(start, min(n, start + 500_000))
        mass = rng.standard_gamma(0.5, people[rows].shape)
        people[rows] = mass / mass.sum(axis=1, keepdims=True)
        mass = people[rows] + 0.3 * rng.standard_gamma(0.5, mass.shape) + 1e-9
        model[rows] = mass / mass.sum(axis=1, keepdims=True)
    return model, people


def measure_seconds(work: Work) -> tuple[float, float, float]:
    """Value, processor seconds, wall seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return float(value), time.process_time() - cpu, time.perf_counter() - wall


def held(what: str) -> int:
    """Bytes this process holds ("VmRSS"), or held at most since the peak was last reset ("VmHWM")."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))


def peers(q: np.ndarray, p: np.ndarray) -> dict[str, dict[str, Work]]:
    """For each number the ways others compute it; what two numbers share (entropies) is given to both for nothing."""
    entropy_q, entropy_p = special.entr(q).sum(axis=1), special.entr(p).sum(axis=1)
    top_q, top_p = q.argmax(axis=1), p.argmax(axis=1)
    confidence, right = q.max(axis=1), top_q == top_p

    def second(rows: np.ndarray) -> np.ndarray:
        return np.argpartition(rows, -2, axis=1)[:, -2]

    share = np.take_along_axis(p, top_q[:, None], axis=1)[:, 0].astype(np.float64)

    def by_sort(outcome: np.ndarray) -> float:
        parts = np.array_split(np.argsort(confidence), 15)
        return sum(abs(confidence[part].mean() - outcome[part].mean()) * part.size for part in parts) / right.size

    def rmse(outcome: np.ndarray) -> float:
        order = np.argsort(confidence)
        starts = np.arange(max(1, right.size // 100)) * 100
        gap = np.add.reduceat(confidence[order] - outcome[order], starts)
        return float(np.sqrt((gap**2 / np.diff(np.append(starts, right.size))).sum() / right.size))

    def brier_parts() -> float:
        edges = np.quantile(confidence, np.linspace(0, 1, 16)[1:-1])
        which = np.digitize(confidence, edges)
        size = np.bincount(which, minlength=15)
        f, o = np.bincount(which, confidence) / size, np.bincount(which, right) / size
        resolution, uncertainty = size @ (o - right.mean()) ** 2 / right.size, right.mean() * (1 - right.mean())
        assert resolution <= uncertainty
        return float(size @ (f - o) ** 2 / right.size)

    def class_parts() -> float:
        total = 0.0
        for column, target in zip(q.T, p.T, strict=True):
            which = np.digitize(column, np.quantile(column, np.linspace(0, 1, 16)[1:-1]))
            size = np.maximum(np.bincount(which, minlength=15), 1)
            f, o = np.bincount(which, column, 15) / size, np.bincount(which, target, 15) / size
            total += float(size @ (f - o) ** 2 / column.size)
        return total

    def macro_f1() -> float:
        return float((2 * np.minimum(q, p).sum(axis=0) / (q.sum(axis=0) + p.sum(axis=0))).mean())

    def js() -> float:
        middle = (p + q) / 2
        return float((special.rel_entr(p, middle) + special.rel_entr(q, middle)).sum(axis=1).mean() / 2)

    found: dict[str, dict[str, Work]] = {
        "entropy": {"scipy": lambda: special.entr(q).sum(axis=1).mean()},
        "soft_nll": {"scipy": lambda: -special.xlogy(p, q).sum(axis=1).mean()},
        "kl": {"scipy": lambda: special.rel_entr(p, q).sum(axis=1).mean()},
        "js": {"scipy": js},
        "brier": {"numpy": lambda: ((q - p) ** 2).sum(axis=1).mean()},
        "accuracy": {"numpy": lambda: (q.argmax(axis=1) == p.argmax(axis=1)).mean()},
        "second_best_accuracy": {"numpy": lambda: (second(q) == second(p)).mean()},
        "top_2_accuracy": {
            "numpy": lambda: (np.argpartition(q, -2, axis=1)[:, -2:] == p.argmax(axis=1)[:, None]).any(axis=1).mean()
        },
        "cross_entropy_hard": {"numpy": lambda: -np.log(q[np.arange(top_p.size), p.argmax(axis=1)]).mean()},
        "vote_accuracy": {"numpy": lambda: p[np.arange(top_p.size), q.argmax(axis=1)].mean()},
        "confidence_right": {"numpy": lambda: q.max(axis=1)[right].mean()},
        "confidence_wrong": {"numpy": lambda: q.max(axis=1)[~right].mean()},
        "soft_macro_f1": {"numpy": macro_f1},
        "soft_accuracy": {"numpy": lambda: np.minimum(q, p).sum(axis=1).mean()},
        "manhattan": {"numpy": lambda: np.abs(q - p).sum(axis=1).mean()},
        "wasserstein": {"numpy": lambda: np.abs(np.cumsum(q - p, axis=1)).sum(axis=1).mean()},
        "ece_equal_mass": {"numpy": lambda: by_sort(share)},
        "ece_equal_mass_majority": {"numpy": lambda: by_sort(right)},
        "rmse_calibration": {"numpy": lambda: rmse(share)},
        "rmse_calibration_majority": {"numpy": lambda: rmse(right)},
        "confidence_brier_reliability_majority": {"numpy": brier_parts},
        "brier_reliability": {"numpy": class_parts},
        "entropy_pearson": {
            "numpy": lambda: np.corrcoef(entropy_q, entropy_p)[0, 1],
            "scipy": lambda: stats.pearsonr(entropy_q, entropy_p).statistic,
        },
        "entropy_spearman": {"scipy": lambda: stats.spearmanr(entropy_q, entropy_p).statistic},
    }
    if find_spec("relplot"):
        from relplot import smECE

        wide = confidence.astype(np.float64)
        found["smooth_ece"] = {"relplot": lambda: smECE(wide, share)}
        found["smooth_ece_majority"] = {"relplot": lambda: smECE(wide, right.astype(np.float64))}
    if find_spec("netcal"):
        from netcal.metrics import ECE

        hits = right.astype(int)
        found["ece_equal_mass_majority"]["netcal"] = lambda: ECE(15, equal_intervals=False).measure(confidence, hits)
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.functional import kl_divergence, pearson_corrcoef, spearman_corrcoef
        from torchmetrics.functional.classification import multiclass_accuracy

        torch.set_num_threads(1)
        tq, tp, tx, ty = (torch.from_numpy(array) for array in (q, p, entropy_q, entropy_p))
        classes = torch.from_numpy(top_p)
        found["kl"]["torchmetrics"] = lambda: float(kl_divergence(tp, tq))
        found["accuracy"]["torchmetrics"] = lambda: float(
            multiclass_accuracy(tq, classes, q.shape[1], average="micro", validate_args=False)
        )
        found["entropy_pearson"]["torchmetrics"] = lambda: float(pearson_corrcoef(tx, ty))
        found["entropy_spearman"]["torchmetrics"] = lambda: float(spearman_corrcoef(tx, ty))
    return found


def auroc_peers(score: np.ndarray, disputed: np.ndarray) -> dict[str, Work]:
    ways: dict[str, Work] = {"scikit-learn": lambda: roc_auc_score(disputed, score)}
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_auroc

        scores, marks = torch.from_numpy(score), torch.from_numpy(disputed.astype(np.int64))
        ways["torchmetrics"] = lambda: float(binary_auroc(scores, marks, validate_args=False))
    return ways


def fastest(ways: dict[str, Work]) -> tuple[str, float, float, float]:
    runs = {name: measure_seconds(work) for name, work in ways.items()}
    best = min(runs, key=lambda name: runs[name][1])
    return best, *runs[best]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--classes", type=int, default=10)
    options.add_argument("--single", action="store_true", help="inputs in float32")
    asked = options.parse_args()
    q, p = simulate_labels(asked.rows, asked.classes, np.float32 if asked.single else np.float64)
    start = time.perf_counter()
    sweep(q[:1000], p[:1000])
    print(f"compiling or loading the sweep: {time.perf_counter() - start:.2f} s")
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = held("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    ours = sweep(q, p)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    extra = held("VmHWM") - before
    print(f"sweep of {asked.rows:,} x {asked.classes} {q.dtype}: {cpu:.2f} s processor, {wall:.2f} s wall, ", end="")
    print(f"{len(ours)} numbers; extra memory {extra / (q.nbytes + p.nbytes):.1%} of the inputs")
    total = 0.0
    print(f"{'':28} {'ours':>12} {'peer':>12}  {'fastest peer':14} {'seconds':>8}")
    for name, ways in peers(q, p).items():
        who, value, seconds, _ = fastest(ways)
        total += seconds
        print(f"{name:28} {ours[name]:12.8f} {value:12.8f}  {who:14} {seconds:8.2f}", flush=True)
    print(f"sum of the fastest peers {total:.2f} s, the sweep {cpu:.2f} s: {total / cpu:.1f} times as fast")
    score, disputed = special.entr(q).sum(axis=1), p.max(axis=1) < 0.5
    auroc(score[:100], np.arange(100) < 50)
    value, cpu, _ = measure_seconds(lambda: auroc(score, disputed))
    who, other, seconds, _ = fastest(auroc_peers(score, disputed))
    print(
        f"AUROC {value:.10f} in {cpu:.3f} s; {who} {other:.10f} in {seconds:.2f} s: {seconds / cpu:.1f} times as fast"
    )


if __name__ == "__main__":
    main()
