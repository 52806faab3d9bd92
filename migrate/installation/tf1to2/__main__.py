"""`python -m tf1to2` is `tf1to2`."""

import os
import sys

if __name__ == "__main__":
    # `python -m` puts the current directory first on the path. A user's `queue.py` or
    # `typing.py` would stand for the standard library's, here and in worker processes.
    if sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]
    from .command import main

    main(prog_name="tf1to2")
