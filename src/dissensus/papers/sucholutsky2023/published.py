"""What the paper prints, and what it claims."""

from __future__ import annotations

from dissensus.papers.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
