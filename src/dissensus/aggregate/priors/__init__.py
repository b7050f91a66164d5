"""Priors learned from the votes on all items, and estimates from few votes per item."""
