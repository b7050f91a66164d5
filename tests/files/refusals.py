"""How tests ask for a refusal, and files to be refused."""

from __future__ import annotations

import re

import pytest

from dissensus import read


def quiet(_):
    pass


def refused(path, *parts, **options):
    """Reading fails with a message that begins with the file and says each of these things."""
    with pytest.raises(ValueError) as caught:
        read(path, say=quiet, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    for part in parts:
        assert re.search(part, message), (part, message)
    return message


def file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
