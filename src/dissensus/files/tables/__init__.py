"""Tables of answers, counts or probabilities <-> the three values."""
