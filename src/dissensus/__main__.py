"""`python -m dissensus` is the `dissensus` command."""

from dissensus.cli.main import main

main()
