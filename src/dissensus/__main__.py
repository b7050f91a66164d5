"""`python -m dissensus` is the `dissensus` command."""

from dissensus.cli import main

main()
