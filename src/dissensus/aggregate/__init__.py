"""Many answers -> one distribution."""
