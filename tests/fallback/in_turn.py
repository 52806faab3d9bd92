"""Runs programs in graph mode one after another: `in_turn.py OUT PROGRAM...`.

Each is told a directory of its own below OUT and begins with an empty graph; what ends one
early is left there, in `failure`. TensorFlow is not imported here: the first program does
that, and says before what it needs.
"""

import os
import runpy
import sys
import traceback

from absl import app, flags


def main(out: str, programs: list[str]) -> None:
    app.define_help_flags()
    for program in programs:
        name = os.path.splitext(os.path.basename(program))[0]
        directory = os.path.join(out, name)
        os.makedirs(directory)
        sys.argv = [program, "--dir=" + directory]
        sys.path.insert(0, os.path.dirname(program))
        if "tensorflow" in sys.modules:
            sys.modules["tensorflow"].compat.v1.reset_default_graph()
        known = set(flags.FLAGS)
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:  # `tf.app.run` ends by it, too.
            if end.code:
                leave(directory, f"It ended with {end.code}.")
        except Exception:
            leave(directory, traceback.format_exc())
        sys.path.pop(0)
        for flag in set(flags.FLAGS) - known:  # The next one may have it, too.
            delattr(flags.FLAGS, flag)


def leave(directory: str, text: str) -> None:
    with open(os.path.join(directory, "failure"), "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
