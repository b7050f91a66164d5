"""Gheibi, Ghazizadeh (2026), Same Target, Different Basins: Hard vs. Soft Labels for Annotator Distributions."""
