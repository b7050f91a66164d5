"""Exports of annotation tools and released crowd data, one module for each format."""
