"""Memory that steps free is kept for the next step."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of settings in malloc.h
_LARGEST = 32 << 20  # what glibc takes at most as the size above which memory is asked of the system


def keep_freed_memory() -> None:
    """Tell glibc not to hand freed memory back to the system, until this process ends.

    A step on the processor asks for the same arrays again and again, and pages that come back from the system must be
    cleared first: a ResNet-8 at batches of 128 had 12,000 page faults a step, and trains a quarter faster without.
    Elsewhere than under glibc nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, 2**31 - 1)
