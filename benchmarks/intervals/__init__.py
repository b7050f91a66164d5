"""Every interval the project prints, with worlds in which the truth is known; `benchmarks/coverage.py` counts."""
