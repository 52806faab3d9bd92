"""Towers in one graph with averaged gradients, against MirroredStrategy.

What the migration has to keep: every tower sees its own part of the batch, the variables
are one, the gradients are divided by the number of towers, the step is counted once.
"""

from __future__ import annotations

from reference.scenario import SINGLE, Fault, Looser, Run, Scenario

_EXACT = "the same operations in the same order"
_ROUNDED = (
    "TensorFlow 2's Eigen rounds the update's square root and division differently"
)
# Two gradients have one order. Of more, TF1's program adds the rows of a matrix,
# MirroredStrategy tensors one by one. Measured 7.1e-16, in a slot of four towers.
_MORE_THAN_TWO = "three or more gradients are added in another order"


def _run(optimizer: str, dtype: str) -> Run:
    arguments = [f"--optimizer={optimizer}"]
    if optimizer == "adam":
        arguments.append("--learning_rate=0.01")
    exact = dtype == "float64" or optimizer != "adam"
    # Weights do not depend on the loss: the gradient of an l2_loss is the weight.
    # Measured 6.0e-8 and 6.7e-16 of losses below 2.5.
    loss = Looser(
        "*/loss/*",
        2.4e-7 if dtype == "float32" else 1e-15,
        "l2_loss adds the squares in another order",
    )
    return Run(
        f"{optimizer}_{dtype}",
        tuple(arguments),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
        looser=(loss,) if exact else (),
    )


SCENARIO = Scenario(
    name="in_graph_towers",
    title="towers in one graph whose gradients are averaged",
    steps=200,
    topology=SINGLE,
    runs=(
        *(
            _run(optimizer, dtype)
            for dtype in ("float32", "float64")
            for optimizer in ("sgd", "momentum", "adam")
        ),
        Run("no_decay", ("--optimizer=momentum", "--weight_decay=0"), reason=_EXACT),
        Run(
            "three_towers",
            ("--optimizer=sgd", "--num_gpus=3", "--batch_size=48"),
            "float64",
            1e-14,
            _MORE_THAN_TWO,
        ),
        Run(
            "four_towers",
            ("--optimizer=momentum", "--num_gpus=4"),
            "float64",
            1e-14,
            _MORE_THAN_TWO,
        ),
    ),
    faults=(
        Fault(
            "sum instead of mean",
            "momentum_float32",
            "replicas.average(gradients)",
            "gradients",
            steps=20,
        ),
        Fault(
            "towers swapped",
            "sgd_float32",
            "image_splits[i]\n        tower_loss_labels = label_splits[i]",
            "image_splits[-1 - i]\n        tower_loss_labels = label_splits[-1 - i]",
            steps=20,
        ),
        Fault(
            "one part for all",
            "four_towers",
            "image_splits[i]\n        tower_loss_labels = label_splits[i]",
            "image_splits[0]\n        tower_loss_labels = label_splits[0]",
            steps=20,
        ),
        Fault(
            "weights' loss counted once",
            "sgd_float64",
            "FLAGS.weight_decay,\n                                     name=",
            "FLAGS.weight_decay / FLAGS.num_gpus,\n                                     name=",
            steps=20,
        ),
        Fault(
            "steps not counted",
            "momentum_float64",
            "variables), global_step=global_step)",
            "variables))",
            steps=60,
        ),
        Fault(
            "schedule off by one",
            "adam_float64",
            "global_step, STEPS_PER_DECAY",
            "global_step, STEPS_PER_DECAY - 1",
            steps=60,
        ),
    ),
)
