"""The engines that run the cells of a study, by name; a new engine is one class and one entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dissensus.study.engines.engine import Engine


@dataclass(frozen=True)
class Request:
    """The settings of an engine.

    folder   of the study
    address  of a cluster, as the engine understands it
    jobs     at the same time
    options  of the engine's own package
    """

    folder: Path
    address: str | None = None
    jobs: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EngineKind:
    """One engine.

    help     what it is, in a phrase
    make     makes it, and imports its package then; None means the engine that suits the remaining cells
    package  that it needs, and the extra of pyproject.toml that installs it
    address  what its address is; "": it has none
    options  an example of its options; "": it has none
    """

    help: str
    make: Callable[[Request], Engine | None]
    package: str = ""
    extra: str = ""
    address: str = ""
    options: str = ""


def _make_ray(request: Request) -> Engine:
    from dissensus.study.engines.on_ray import RayEngine

    return RayEngine(request.address, request.jobs)


def _make_submitit(request: Request) -> Engine:
    from dissensus.study.engines.on_slurm import SubmititEngine

    place = request.folder / "unfinished" / "submitit"
    return SubmititEngine(place, request.address, request.jobs, request.options)


# Engines by name, for `--engine` and `make_engine`.
ENGINES: dict[str, EngineKind] = {
    "local": EngineKind("processes and threads of this machine", lambda request: None),
    "ray": EngineKind("Ray", _make_ray, "ray", "ray", address="cluster; without it, Ray starts here"),
    "submitit": EngineKind(
        "SLURM",
        _make_submitit,
        "submitit",
        "slurm",
        address="slurm or local",
        options="slurm_partition=short",
    ),
}
