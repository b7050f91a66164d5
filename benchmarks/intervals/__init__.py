"""Every interval the project prints, in worlds with known truth; `benchmarks/coverage.py` measures coverage."""
