"""Records what TensorFlow 1.15.5 computes."""

from tests.programs.estimator_tpus import record

record()
