"""Runs programs one after another in this process: `run_all.py OUT PROGRAM...`.

Each is told a directory of its own below OUT; what ends one early is left there, in
`failure`, and the next one is run. In TensorFlow 1 each begins with an empty graph. A
program's flags end with it.
"""

import os
import runpy
import sys
import traceback

import tensorflow as tf
from absl import flags


def main(out, programs):
    if not tf.__version__.startswith("1."):
        # Devices are made once per process, before the first program uses one.
        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0],
            [tf.config.LogicalDeviceConfiguration()] * 3)
    for program in programs:
        name = os.path.splitext(os.path.basename(program))[0]
        directory = os.path.join(out, name)
        os.makedirs(directory)
        sys.argv = [program, "--dir=" + directory]
        sys.path.insert(0, os.path.dirname(program))
        if tf.__version__.startswith("1."):
            tf.reset_default_graph()
        known = set(flags.FLAGS)
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:  # `tf.app.run` ends by it, too.
            if end.code:
                _leave(directory, "It ended with %s." % end.code)
        except Exception:
            _leave(directory, traceback.format_exc())
        sys.path.pop(0)
        for flag in set(flags.FLAGS) - known:  # The next one may have it, too.
            delattr(flags.FLAGS, flag)


def _leave(directory, text):
    with open(os.path.join(directory, "failure"), "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
