"""The command ``shardwise``: ``python -m shardwise`` and the script of the package."""

import signal
import sys

from . import _engine


def main() -> int:
    """Run the command with the arguments of this process; the exit status is 0 for yes, 1 for no, 2 for no answer."""
    # Python looks at Ctrl+C only between its own instructions, and a search is one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _engine.command(["shardwise", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
