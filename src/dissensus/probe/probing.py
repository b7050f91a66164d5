"""Several probes of one network on the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dissensus.labels.display import shapes
from dissensus.labels.refusals import Refusal, Way, add_place, one_of
from dissensus.labels.streams import Stream, stream
from dissensus.probe.probed import Bar, Probed, no_bar
from dissensus.probe.probes import PROBES, Result


@dataclass(frozen=True, eq=False)
class Findings:
    """The results of probes of one network.

    probed   the network and its items
    parts    by name of PROBES, in that order
    remarks  limits of the numbers: of the items, and which probes were left out, and why
    """

    probed: Probed
    parts: dict[str, Result]
    remarks: tuple[str, ...] = ()

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        """Every number for programs; NaN is None."""
        return self.probed.as_json() | {
            "what": list(self.parts),
            **{name: part.as_json() for name, part in self.parts.items()},
            "remarks": list(self.remarks),
        }


def probe_network(probed: Probed, what: Iterable[str] | None = None, *, bar: Bar = no_bar) -> Findings:
    """Run probes on a network; each draws from a stream of its own name, whatever other probes there are.

    Parameters
    ----------
    probed : the network, its images and labels, and what it is compared with
    what : names from PROBES, each of which must be possible; None: all that are, with a remark for each that is not
    bar : a context manager for a title that returns the function to move a bar by

    Returns
    -------
    Findings

    Examples
    --------
    >>> import torch
    >>> from dissensus.probe import Probed, image_batches
    >>> from dissensus.train import Network
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> pixels = np.arange(12, dtype=np.uint8).reshape(3, 2, 2, 1)
    >>> probed = Probed({"net": network}, image_batches(network, pixels, [[2, 1], [0, 3], [1, 1]]))
    >>> list(probe_network(probed, "gradients").parts)
    ['gradients']
    """
    chosen = tuple(PROBES) if what is None else check_probes(what)
    _check_sizes(probed)
    remarks = list(probed.notes)
    possible = []
    for name in (name for name in PROBES if name in chosen):
        obstacle = PROBES[name].find_obstacle(probed)
        if obstacle is None:
            possible.append(name)
        elif what is None:
            remarks.append(f"{name} is left out: {obstacle.problem}")
        else:
            raise obstacle.at(name)
    results: dict[str, Result] = {}
    for name in possible:
        probe = PROBES[name]
        try:
            with (bar if probe.progress else no_bar)(probe.progress) as move:
                results[name] = probe.run(probed, stream(probed.seed, Stream.PROBE, name), move)
        except ValueError as problem:  # which must not lose what the others gave
            if what is not None or len(possible) == 1:
                raise add_place(problem, name) from problem
            remarks.append(f"{name} is left out: {problem}")
            continue
        remarks += [f"{name}: {remark}" for remark in results[name].remarks]
    if not results:
        raise Refusal(f"no probe can be run: {'; '.join(remarks)}")
    return Findings(probed, results, tuple(remarks))


def check_probes(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of probes, each once; refused if one is unknown."""
    chosen = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    if not chosen:
        raise Refusal("no probe named", ways=[Way(f"choose from: {', '.join(PROBES)}")])
    return tuple(one_of("probe", name, PROBES) for name in chosen)


def _check_sizes(probed: Probed) -> None:
    """Put one image of each set through each network, so that sizes that do not fit are refused before any work."""
    sets = {"the images": probed.images} | probed.outside
    sets |= {} if probed.reference is None else {"the reference": probed.reference}
    for name, images in sets.items():
        for called, network in probed.networks.items():
            try:
                network.logits(images.select([0]))
            except ValueError as problem:
                raise add_place(problem, f"{name} for {called}") from None
            except RuntimeError as problem:
                height, width = images.pixels.shape[1:3]
                raise Refusal(
                    f"{called} cannot take images of {height} x {width} pixels ({str(problem).splitlines()[0]})",
                    name,
                    [Way("resize them with {size}", size=...)],
                ) from None
