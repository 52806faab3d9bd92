"""Runs programs one after another in this process: `run_all.py OUT PROGRAM...`.

Each is told a directory of its own below OUT. In TensorFlow 1 each begins with an
empty graph.
"""

import os
import runpy
import sys
import traceback

import tensorflow as tf


def main(out, programs):
    if not tf.__version__.startswith("1."):
        # Devices are made once per process, before the first program uses one.
        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0],
            [tf.config.LogicalDeviceConfiguration()] * 3)
    failed = 0
    for program in programs:
        name = os.path.splitext(os.path.basename(program))[0]
        directory = os.path.join(out, name)
        os.makedirs(directory)
        sys.argv = [program, "--dir=" + directory]
        sys.path.insert(0, os.path.dirname(program))
        if tf.__version__.startswith("1."):
            tf.reset_default_graph()
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:  # `tf.app.run` ends by it, too.
            failed += bool(end.code)
        except Exception:
            print("in %s:" % program)
            traceback.print_exc()
            failed += 1
        sys.path.pop(0)
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
