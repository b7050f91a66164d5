"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dissensus.papers.paper import SCALES, Paper, Part, Scale
from dissensus.papers.published import read_published
from dissensus.papers.singh2025.claims import CLAIMS, HEADLINES, READER_NAMES, conclude
from dissensus.papers.singh2025.encoders import READY, SHOWN, encoders_of, files_of, part_of
from dissensus.papers.singh2025.figures import figures
from dissensus.papers.singh2025.observe import NAMES, observe
from dissensus.papers.singh2025.work import PEOPLE, SEED, SIZES, grid_of, numbers_of
from dissensus.papers.text_sets import CHAOSNLI
from dissensus.papers.texts import read_differences

WEIGHTS = {"chaosnli": 4.0, "popquorn": 1.5, "cifar10h-hard": 1.0}
DATA: dict[str, tuple[str, ...]] = {"chaosnli": CHAOSNLI, "popquorn": ("popquorn",), "cifar10h-hard": ("cifar10h",)}
ALWAYS, _ = read_differences("singh2025")
VERSION = 3  # of the code that makes the numbers
SEEDS = 10  # of the paper


def parts(scale: Scale) -> Sequence[Part]:
    """One for each data set and encoder: the whole protocol, with both readings of a seed."""
    return [_part(name, encoder, scale) for name in PEOPLE for encoder in encoders_of(name)]


def _part(name: str, encoder: str, scale: Scale) -> Part:
    ready = (READY[encoder],) if encoder in READY else ()
    return Part(
        name=part_of(name, encoder),
        work=partial(numbers_of, name, encoder, scale),
        data=(*DATA[name], *ready),
        files=files_of(name, encoder),
        weight=WEIGHTS[name],
        settings={"set": name, "encoder": encoder, "seed": SEED, "version": VERSION, **SIZES[scale]},
    )


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    used = {name: [SHOWN.get(encoder, encoder) for encoder in encoders_of(name)] for name in PEOPLE}
    rows = [
        ("encoder of texts", "OpenAI text-embedding-3-large", " and ".join(used["popquorn"])),
        ("encoder of images", "DINOv2 Small", " and ".join(used["cifar10h-hard"])),
        *ALWAYS,
    ]
    size = SIZES[scale]
    if size["seeds"] != SEEDS:
        rows.append(("seeds", str(SEEDS), str(size["seeds"])))
    if scale == "quick":
        most = ", ".join(f"{count} of {NAMES[name]}" for name, count in size["at_most"].items())
        rows += [
            ("settings tried", "108", str(len(grid_of(scale)))),
            ("items", "all", f"{most}"),
        ]
    return rows


PAPER = Paper(
    name="singh2025",
    title="Do soft labels keep a model as unsure as people are? (Singh 2025)",
    citation="Singh, Tiwari, Hasanbeig, Gupta (2025), Soft-Label Training Preserves Epistemic Uncertainty",
    claims=CLAIMS,
    parts=parts,
    published=read_published("singh2025"),
    observe=observe,
    differences=differences,
    figures=figures,
    names=READER_NAMES,
    headlines=HEADLINES,
    conclude=conclude,
    scales=SCALES,
)
