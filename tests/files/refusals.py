"""How tests ask for a refusal, and files to be refused."""

from __future__ import annotations

import re

import pytest

from dissensus import read
from dissensus.labels.refusals import PYTHON, Refusal, fill


def quiet(_):
    pass


def refused(path, *parts, ways=None, **options):
    """Reading fails with a refusal of this file, whose problem or ways out match each of these patterns.

    ways  the settings of all ways out that have any, in their order
    """
    with pytest.raises(Refusal) as caught:
        read(path, say=quiet, **options)
    refusal = caught.value
    message = str(refusal)
    assert message.startswith(str(path)) and "\n" not in message
    named = {name: PYTHON.write(name, value) for name, value in refusal.settings.items()}
    facts = "; ".join([fill(refusal.problem, named), *map(str, refusal.ways)])
    for part in parts:
        assert re.search(part, facts), (part, facts)
    if ways is not None:
        assert [dict(way.settings) for way in refusal.ways if way.settings] == ways
    return message


def file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
