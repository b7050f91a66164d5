"""Training on labels that disagree."""
