"""Try every verb and public name as if less were installed, and print as JSON what each of them said, by install.

    python tests/fewer_packages.py < INSTALLS

INSTALLS is JSON: name, modules that are not there, and installs with `more` than this one. Most of the time goes into
imports. So one process tries the smallest install, and forks for those that have more: they have imported already what
both have, and try those verbs only that did not work before.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import sys
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.every_verb import outcomes

KNOWN = packages_distributions()
FORK = multiprocessing.get_context("fork")
Outcomes = dict[str, dict[str, str]]


class Without:
    """Finds what is installed, except for some modules and the packages they belong to."""

    def hide(self, modules: list[str]) -> None:
        self.modules = frozenset(modules)
        self.packages = {package for module in modules for package in KNOWN.get(module, ())}
        importlib.invalidate_caches()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return None if name.partition(".")[0] in self.modules else PathFinder.find_spec(name, path, target)

    def find_distributions(self, *context: Any) -> Any:
        every = PathFinder.find_distributions(*context)
        return (package for package in every if package.metadata["Name"] not in self.packages)

    def invalidate_caches(self) -> None:
        PathFinder.invalidate_caches()


def tried(install: dict[str, Any], without: Without, less: Outcomes | None = None) -> dict[str, Outcomes]:
    """Outcomes of an install and of those with more, where `less` is what a smaller one said."""
    without.hide(install["hidden"])
    waiting = None if less is None else [verb for verb, said in less["verbs"].items() if said != "works"]
    done = outcomes(waiting)
    if less is not None:
        done["verbs"] = less["verbs"] | done["verbs"]
    found = {install["name"]: done}
    for more in install["more"]:
        found |= _in_a_fork(more, without, done)
    return found


def _in_a_fork(install: dict[str, Any], without: Without, less: Outcomes) -> dict[str, Outcomes]:
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=lambda: there.send(tried(install, without, less)))
    process.start()
    there.close()
    try:
        return here.recv()  # type: ignore[no-any-return]
    except EOFError:
        raise SystemExit(f"trying {install['name']} failed") from None
    finally:
        process.join()


if __name__ == "__main__":
    os.environ["COLUMNS"] = "200"
    hides = Without()
    hides.hide([])
    sys.meta_path[:] = [hides if finder is PathFinder else finder for finder in sys.meta_path]
    print(json.dumps(tried(json.load(sys.stdin), hides)))
