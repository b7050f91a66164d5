"""One module for each probe of PROBES: its computation, its requirements, and its report.

Each has `run(probed, rng, move) -> Result`, and `find_obstacle(probed)` if it needs more than a network and images.
"""
