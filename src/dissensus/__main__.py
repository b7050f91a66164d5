"""The `dissensus` command, also as `python -m dissensus`."""

import signal
import sys


def main() -> None:
    """Run a verb, as a process of its own."""
    try:
        from dissensus.cli.main import main as run  # takes a moment, in which an interrupt may come

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:  # what is done is done: an interrupt while Python ends would only print a traceback
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Python remembers an interrupt that passed through an exec of text, as libraries have them, and would in the
        # end be killed by it though it was caught; the next exec lets it forget.
        exec("")


if __name__ == "__main__":
    main()
