"""Runs the migrated `training` in place of a TPU: replicated.py SOURCE WORK CASE...

CASE is STRATEGY-WAY-KIND; "tpu" asks for this machine's TPU. A directory WORK/CASE has the model_dir, and gets
`results.npz`; one whose training is refused gets `error.txt`.
"""

import os
import sys

import tensorflow as tf


class Compiled(tf.distribute.OneDeviceStrategy):
    """One replica, whose step XLA compiles whole."""

    def run(self, fn, args=(), kwargs=None, options=None):
        compiled = tf.function(fn, jit_compile=True, autograph=False)
        return super().run(compiled, args, kwargs, options)


def main(source: str, work: str, *cases: str) -> None:
    sys.path.insert(0, source)
    import training

    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * 2
    )
    strategies = {
        "mirrored": tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        "compiled": Compiled("/cpu:0"),
    }
    for case in cases:
        strategy, way, kind = case.split("-")
        directory = os.path.join(work, case)
        try:
            if strategy == "tpu":
                config = training.estimator_loop.tpu.RunConfig()
                training.estimator_loop.tpu.TPUEstimator(
                    training.model_fn_builder(True, kind, 1),
                    config=config,
                    train_batch_size=12,
                )
            training.main(directory, strategies[strategy], way, kind)
        except (RuntimeError, ValueError) as error:
            with open(os.path.join(directory, "error.txt"), "w") as file:
                file.write(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
