"""Heads on frozen features: encoders, features, training, files."""
