"""Sucholutsky et al. (2023), On the Informativeness of Supervision Signals."""
