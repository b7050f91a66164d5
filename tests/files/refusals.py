"""How tests ask for a refusal, and files to be refused."""

from __future__ import annotations

from dissensus import read
from dissensus.labels.refusals import Refusal
from tests.facts import missing_facts, refuses, states


def quiet(_):
    pass


def refused(path, *facts, ways=None, **options):
    """Reading fails with a refusal of this file that states these facts, in one line.

    ways  the settings of all ways out that have any, in their order
    """
    with refuses(error=Refusal) as caught:
        read(path, say=quiet, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    states(message.removeprefix(f"{path}: "), *facts)  # no fact is read off the path
    if ways is not None:
        assert list_ways(caught) == ways
    return message


def list_ways(caught):
    """Return the settings of each way out that has any, in their order."""
    return [dict(way.settings) for way in caught.value.ways if way.settings]


def states_either(message, *alternatives):
    """Whether a message states all facts of one of these lists, where the system decides which."""
    assert any(not missing_facts(message, *facts) for facts in alternatives), f"{alternatives} not in: {message}"
    return True


def file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
