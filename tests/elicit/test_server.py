"""Servers that are started as processes of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dissensus.elicit.server import find_free_port, wait_for_server


def test_a_server_that_ends_before_it_answers_is_not_waited_for():
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(ValueError, match="code 3"):
        wait_for_server(process, find_free_port())
