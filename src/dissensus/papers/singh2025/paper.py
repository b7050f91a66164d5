"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dissensus.papers.paper import Paper, Part, Scale
from dissensus.papers.singh2025.figures import figures
from dissensus.papers.singh2025.findings import findings
from dissensus.papers.singh2025.published import CLAIMS
from dissensus.papers.singh2025.sets import SETS
from dissensus.papers.singh2025.work import SEED, SIZES, grid_of, numbers_of

WEIGHTS = {"chaosnli": 3.0, "popquorn": 1.0, "cifar10h-hard": 2.0}
DATA = {
    "chaosnli": ("chaosnli-snli", "chaosnli-mnli"), "popquorn": ("popquorn",),
    "cifar10h-hard": ("cifar10h", "cifar10-resnet50"),
}  # fmt: skip


def parts(scale: Scale) -> Sequence[Part]:
    """One for each data set: the whole protocol, with both readings of a seed."""
    return [
        Part(name=name, work=partial(numbers_of, name, scale), data=DATA[name], weight=WEIGHTS[name],
             settings={"set": name, "seed": SEED, "version": 1, **SIZES[scale]})
        for name in SETS
    ]  # fmt: skip


def shrunk(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """What is other here than in the paper."""
    rows = [
        ("text encoder", "OpenAI text-embedding-3-large", "all-MiniLM-L6-v2"),
        ("image encoder", "DINOv2 Small", "ResNet-50 of ImageNet"),
        ("POPQUORN", "politeness, 3,700 items", "offensiveness, 1,500 items"),
        ("split", "not stated", "70 / 15 / 15, drawn once, and once for each seed"),
        ("hidden units, dropout, patience of the scheduler", "not stated", "128, 0.1, 2"),
    ]
    if scale == "quick":
        rows += [("settings tried", "108", str(len(grid_of(scale)))), ("seeds", "10", str(SIZES[scale]["seeds"])),
                 ("items of a set, at most", "all", str(SIZES[scale]["at_most"]))]  # fmt: skip
    return rows


PAPER = Paper(
    name="singh2025",
    title="Do soft labels keep a model as unsure as people are? (Singh 2025)",
    citation="Singh, Tiwari, Hasanbeig, Gupta (2025), Soft-Label Training Preserves Epistemic Uncertainty",
    claims=CLAIMS,
    parts=parts,
    findings=findings,
    shrunk=shrunk,
    figures=figures,
)
