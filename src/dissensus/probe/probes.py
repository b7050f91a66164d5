"""PROBES: the probes of a network by name, for the command line, for studies and for pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from dissensus.labels.refusals import Refusal
    from dissensus.probe.probed import Move, Probed
    from dissensus.report.document import Block, Card


class Result(Protocol):
    """The result of one probe: its numbers, and how a page shows them.

    remarks  limits of the numbers that a reader should know
    """

    @property
    def remarks(self) -> tuple[str, ...]: ...

    def as_json(self) -> Any:
        """Return every number."""

    def answer(self, probed: Probed) -> str:
        """Return the main number in one sentence."""

    def card(self, probed: Probed) -> Card | None:
        """Return the main number as a card, if there is one."""

    def blocks(self, probed: Probed) -> Sequence[Block]:
        """Return tables and figures."""


@dataclass(frozen=True)
class Probe:
    """A probe of a network, as `probe_network` and `dissensus probe` run it.

    The module is imported when the probe is used, so that listing the probes loads no torch.

    Parameters
    ----------
    title : heading of its section
    module : has `run(probed, rng, move) -> Result`; if it needs more than a network and its images, also
        `find_obstacle(probed) -> Refusal | None`
    uses : fields of `Probed` that it looks at besides
    progress : title of its progress bar; "": it shows bars of its own, or none

    Examples
    --------
    >>> PROBES["cka"].uses
    ('networks',)
    """

    title: str
    module: str
    uses: tuple[str, ...] = ()
    progress: str = ""

    @property
    def run(self) -> Callable[[Probed, np.random.Generator, Move], Result]:
        run: Callable[[Probed, np.random.Generator, Move], Result] = import_module(self.module).run
        return run

    def find_obstacle(self, probed: Probed) -> Refusal | None:
        """Return the reason why the probe cannot be run here, or None if it can."""
        find: Callable[[Probed], Refusal | None] | None = getattr(import_module(self.module), "find_obstacle", None)
        return None if find is None else find(probed)


# A new probe is one entry here, and its module.
PROBES: dict[str, Probe] = {
    "attacks": Probe("Adversarial attacks", "dissensus.probe.runs.attacks", ("epsilons",), "attacking images"),
    "ood": Probe(
        "Out-of-distribution detection", "dissensus.probe.runs.ood", ("outside", "reference"), "scoring sets of images"
    ),
    "curvature": Probe("Loss curvature", "dissensus.probe.runs.curvature"),
    "barrier": Probe(
        "Loss barrier between the networks",
        "dissensus.probe.runs.barrier",
        ("networks", "reference"),
        "moving to the other network",
    ),
    "cka": Probe("Similarity of representations", "dissensus.probe.runs.cka", ("networks",), "comparing features"),
    "saliency": Probe("Saliency maps", "dissensus.probe.runs.saliency", ("networks",), "computing maps, batches"),
    "gradients": Probe(
        "Gradient noise of sampled labels", "dissensus.probe.runs.gradients", progress="measuring gradients, batches"
    ),
}
