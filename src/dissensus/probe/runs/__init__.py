"""One module for each probe of PROBES: how it runs, when it cannot, and what it reports.

Each has `run(probed, rng, move) -> Result`, and `find_obstacle(probed)` if it needs more than a network and images.
"""
