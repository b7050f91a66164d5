"""The `dissensus` command, also as `python -m dissensus`."""

import sys


def main() -> None:
    """Run a verb. Loading them takes a moment, and an interrupt then is no reason for a traceback either."""
    try:
        from dissensus.cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
