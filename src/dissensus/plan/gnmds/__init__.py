"""Generalised non-metric MDS: points whose distances agree with labels or comparisons."""
