"""Several probes of one network on the same items: which can be done, and what came out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.refusals import Refusal, Way
from dissensus.probe.probed import Bar, Probed, no_bar
from dissensus.probe.run_parts import PARTS


@dataclass(frozen=True, eq=False)
class Findings:
    """What probes of a network gave.

    probed   what was looked into
    parts    by name of PARTS, in that order
    remarks  what a reader should know: about the items, and which parts were left out, and why
    """

    probed: Probed
    parts: dict[str, Any]
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
    """Run probes on a network; each draws from a stream of its own, so it does not matter which others are run.

    what  names of PARTS, of which each must be possible; None for all that are, with a remark for each that is not
    bar   a context manager for a title that gives the function to move a bar by
    """
    chosen = tuple(PARTS) if what is None else check_parts(what)
    _check_sizes(probed)
    streams = dict(zip(PARTS, np.random.default_rng(probed.seed).spawn(len(PARTS)), strict=True))
    remarks = list(probed.notes)
    possible = []
    for name in (name for name in PARTS if name in chosen):
        reason = PARTS[name].missing(probed)
        if reason is None:
            possible.append(name)
        elif what is None:
            remarks.append(f"{name} is left out: {reason}")
        else:
            raise ValueError(f"{name}: {reason}")
    parts = {}
    for name in possible:
        try:
            with (bar if PARTS[name].title else no_bar)(PARTS[name].title) as progress:
                parts[name] = PARTS[name].compute(probed, streams[name], progress)
        except ValueError as problem:  # which must not lose what the others gave
            if what is not None or len(possible) == 1:
                raise ValueError(f"{name}: {problem}") from problem
            remarks.append(f"{name} is left out: {problem}")
            continue
        remarks += [f"{name}: {remark}" for remark in parts[name].remarks]
    if not parts:
        raise ValueError(f"no probe can be run; {'; '.join(remarks)}")
    return Findings(probed, parts, tuple(remarks))


def check_parts(names: Iterable[str]) -> tuple[str, ...]:
    """Names of parts, refused where there is no such part."""
    chosen = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in PARTS]
    if unknown or not chosen:
        raise ValueError(
            f"there is no probe {unknown[0]!r}; expected some of {', '.join(PARTS)}"
            if unknown
            else f"no probe was named; expected some of {', '.join(PARTS)}"
        )
    return chosen


def _check_sizes(probed: Probed) -> None:
    """One image of each set through each network, so that what does not fit is said before anything is computed."""
    sets = {"the images": probed.images} | probed.outside
    sets |= {} if probed.reference is None else {"the reference": probed.reference}
    for name, images in sets.items():
        for called, network in probed.networks.items():
            try:
                network.logits(images.select([0]))
            except ValueError as problem:
                raise ValueError(f"{name}: {called} cannot take them: {problem}") from None
            except RuntimeError as problem:
                height, width = images.pixels.shape[1:3]
                raise Refusal(
                    f"a network cannot take images of {height} x {width} pixels ({str(problem).splitlines()[0]})",
                    name,
                    [Way("resize them with {size}", size=...)],
                ) from None
