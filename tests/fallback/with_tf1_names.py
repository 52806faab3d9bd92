"""Runs a script for which `tf.train` has what TensorFlow 1's gate of a run looks for there."""

import os
import runpy
import sys

import tensorflow as tf

if __name__ == "__main__":
    v1 = tf.compat.v1.train
    tf.train.MonitoredTrainingSession = v1.MonitoredTrainingSession
    tf.train.SessionRunHook = v1.SessionRunHook
    sys.argv = sys.argv[1:]
    script = os.path.abspath(sys.argv[0])
    sys.path[0] = os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")
