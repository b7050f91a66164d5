"""The command line: one module for each verb; each parses, calls one stage and prints."""
