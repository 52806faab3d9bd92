"""Runs a TF1 program unedited on this TensorFlow 2: `python as_v1.py program.py ...`.

`import tensorflow` gives `tensorflow.compat.v1` with the behaviour of version 2
switched off. TF1's MNIST reader, which TensorFlow 2 lacks, is the migration tool's;
tf.contrib is not there at all.
"""

from __future__ import annotations

import os
import pathlib
import runpy
import sys
import types

import tensorflow.compat.v1 as v1


def install() -> None:
    """Makes the names that a TF1 program imports mean compat.v1, in this process."""
    v1.disable_v2_behavior()
    from migrate.support import mnist_input_data

    sys.modules["tensorflow"] = v1
    names = ("tensorflow.examples", "tensorflow.examples.tutorials")
    for name in (*names, "tensorflow.examples.tutorials.mnist"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []  # A package, so that its parts are looked for.
    sys.modules["tensorflow.examples.tutorials.mnist"].input_data = mnist_input_data
    sys.modules["tensorflow.examples.tutorials.mnist.input_data"] = mnist_input_data


def main() -> None:
    here = pathlib.Path(__file__).resolve().parent
    sys.path.append(str(here.parent))  # Where `migrate` is, if it is not installed.
    install()
    sys.argv = sys.argv[1:]
    program = os.path.abspath(sys.argv[0])
    sys.path[0] = os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
