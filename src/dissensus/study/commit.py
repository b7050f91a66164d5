"""Which code made a result."""

from __future__ import annotations

import subprocess
from pathlib import Path

import dissensus


def code_commit() -> str:
    """The commit of this package where it runs from a repository of its own, else its version."""
    source = Path(dissensus.__file__)
    ask = ["git", "-C", str(source.parent)]
    try:
        tracked = subprocess.run([*ask, "ls-files", "--error-unmatch", source.name], capture_output=True, check=False)
        if tracked.returncode == 0:
            describe = [*ask, "describe", "--always", "--dirty", "--exclude=*"]
            return subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        pass
    return f"version {dissensus.__version__}"
