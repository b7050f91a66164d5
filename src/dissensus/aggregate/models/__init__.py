"""Models of annotators: each a function that returns a fit."""
