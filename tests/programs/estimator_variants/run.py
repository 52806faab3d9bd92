"""Runs variants, under either TensorFlow: run.py SOURCE RESULTS NAME...

Each is a module of the directory SOURCE with a function `run(model_dir)`, which returns
what it found by name. RESULTS gets `results.npz` with "<variant>/<name>".
"""

import importlib
import os
import sys

import numpy as np


def main(source, directory, *names):
  sys.path.insert(0, source)
  found = {}
  for name in names:
    for key, value in importlib.import_module(name).run(
        os.path.join(directory, name)).items():
      found[name + "/" + key] = np.asarray(value)
  np.savez(os.path.join(directory, "results.npz"), **found)


if __name__ == "__main__":
  main(*sys.argv[1:])
