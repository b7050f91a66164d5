"""Install dissensus alone, and with each extra alone, in fresh environments, and try every verb and public name there.

    python benchmarks/extras.py [core | EXTRA …] [--environments FOLDER]

Each must work, or name the extra to install in one line. An environment is tried again only if something changed, so an
interrupted run resumes. The result is stored in
benchmarks/results/extras.json, and its table in docs/install.md. It needs a package index and some 15 GB of disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "benchmarks" / "results" / "extras.json"
TRIAL = ROOT / "tests" / "every_verb.py"
OPTIONAL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
INSTALLS = ["core", *(extra for extra in OPTIONAL if extra not in ("dev", "bench", "docs"))]
Outcomes = dict[str, dict[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("installs", nargs="*", default=INSTALLS, metavar="EXTRA", help=f"one of {', '.join(INSTALLS)}")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv" / "extras", help="folder for them")
    options = parser.parse_args()
    unknown = set(options.installs) - set(INSTALLS)
    if unknown:
        parser.error(f"there is no extra {unknown.pop()!r}; there are {', '.join(INSTALLS)}")
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for install in options.installs:
        state = _state(
            [ROOT / "pyproject.toml", ROOT / "constraints.txt", TRIAL, *sorted((ROOT / "src").rglob("*.py*"))]
        )
        if record.get(install, {}).get("state") != state:
            print(f"{install}: installing and trying …", flush=True)
            python = _environment(options.environments / install, install)
            record[install] = {"state": state, **_try_verbs(python)}
            RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(f"{install}: {_count_working(record[install])}", flush=True)
    print("\n" + table({install: record[install]["verbs"] for install in INSTALLS if install in record}))
    wrong = {
        f"{install}: {what}": outcome
        for install, kinds in record.items()
        for kind in ("verbs", "names")
        for what, outcome in kinds[kind].items()
        if outcome.removeprefix("needs ") not in ("works", *OPTIONAL)
    }
    for where, outcome in wrong.items():
        print(f"\n{where}: {outcome}")
    sys.exit(1 if wrong else 0)


def table(verbs: dict[str, dict[str, str]]) -> str:
    """Markdown: one row for the verbs that fare alike, one column per install."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for verb in next(iter(verbs.values())):
        rows.setdefault(tuple(said.get(verb, "not tried") for said in verbs.values()), []).append(f"`{verb}`")
    head = ["verb", *(install if install == "core" else f"`{install}`" for install in verbs)]
    lines = [head, ["---"] * len(head), *([", ".join(alike), *fared] for fared, alike in rows.items())]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _environment(folder: Path, install: str) -> Path:
    """The Python of an environment in which only this is installed, made as the README says."""
    python, done = folder / "bin" / "python", folder / "installed"
    wanted = _state([ROOT / "pyproject.toml", ROOT / "constraints.txt"])
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "constraints.txt"]
    if not done.exists() or done.read_text() != wanted:
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([*pip, "." if install == "core" else f".[{install}]"], cwd=ROOT, check=True)
        done.write_text(wanted)
    else:  # only the code may have changed
        subprocess.run([*pip, "--no-deps", "--force-reinstall", "."], cwd=ROOT, check=True)
    return python


def _try_verbs(python: Path) -> Outcomes:
    settings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DISSENSUS_DATA")}
    with tempfile.TemporaryDirectory() as folder:  # elsewhere, so that what is installed is tried, not this clone
        done = subprocess.run([python, TRIAL], cwd=folder, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{python} could not run {TRIAL}:\n{done.stderr}")
    outcomes: Outcomes = json.loads(done.stdout)
    return outcomes | {"names": {name: said for name, said in outcomes["names"].items() if said != "works"}}


def _count_working(tried: Outcomes) -> str:
    works = sum(outcome == "works" for outcome in tried["verbs"].values())
    return f"{works} of {len(tried['verbs'])} verbs work, {len(tried['names'])} public names need more"


def _state(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
