"""What people said: votes, beliefs and distributions, and everything that can be done to them."""
