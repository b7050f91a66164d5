"""Rehearsals whose server processes are forked, for tests that are about the people and not about the server."""

from __future__ import annotations

import pytest

from dissensus.elicit.rehearsal import report
from tests.elicit.servers import background_server


@pytest.fixture
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """To start one from nothing takes half a second of a processor for each of its processes."""
    monkeypatch.setattr(report, "background_server", background_server)
