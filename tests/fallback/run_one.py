"""Runs one program in graph mode: `run_one.py DIRECTORY PROGRAM`, which writes there."""

import os
import runpy
import sys

from absl import app


def main(directory: str, program: str) -> None:
    app.define_help_flags()
    os.makedirs(directory)
    sys.argv = [program, "--dir=" + directory]
    sys.path.insert(0, os.path.dirname(program))
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:  # `tf.app.run` ends by it, too.
        if end.code:
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
