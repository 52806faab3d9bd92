"""A migrated program goes on from the checkpoint of the TF1 program it was.

TensorFlow 1.15.5 trains 200 steps and saves after 100. The migration starts from that
very file, trains the other 100, and must end as TF1 did: losses, weights, slots, step.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Topology

_EXACT = tuple(
    Looser(pattern, 0.0, "the same additions and products in the same order")
    for optimizer in ("sgd", "momentum")
    for pattern in (f"*/loss/{optimizer}", f"*/final/{optimizer}/*")
)
_ASSIGN = "parts[0].assign(value)"
_SESSION = "training_session/checkpoints.py"

SCENARIO = Scenario(
    name="checkpoint_resume",
    title="a checkpoint of TensorFlow 1, from which the migration continues",
    steps=200,
    resumed=100,
    topology=Topology(ps=2, workers=1),
    runs=(
        Run(
            "float32",
            dtype="float32",
            tolerance=1e-6,
            reason="TensorFlow 2's Eigen rounds square roots and divisions differently",
            looser=_EXACT,
        ),
        Run("float64", dtype="float64"),
    ),
    # Where the step is lost too, training would not end at the same one: 90 steps are
    # fewer than the file has seen, so that it does then.
    faults=(
        Fault(
            "slots not restored",
            "float64",
            _ASSIGN,
            f'name.split("/")[-1] in ("w", "table", "global_step") and {_ASSIGN}',
            steps=120,
            file=_SESSION,
        ),
        Fault(
            "one kind of slot not restored",
            "float64",
            _ASSIGN,
            f'"RMSProp_2" in name or {_ASSIGN}',
            steps=120,
            file=_SESSION,
        ),
        Fault(
            "step not restored",
            "float64",
            _ASSIGN,
            f'name == "global_step" or {_ASSIGN}',
            steps=90,
            file=_SESSION,
        ),
        Fault(
            "another variable of that shape",
            "float32",
            "reader.get_tensor(name)",
            'reader.get_tensor("adadelta/w" if name == "adagrad/w" else name)',
            steps=120,
            file=_SESSION,
        ),
        Fault(
            "rows of another shard",
            "float32",
            "value[row : row + rows]",
            "value[len(value) - row - rows : len(value) - row]",
            steps=120,
            file=_SESSION,
        ),
    ),
    proves=(
        "optimizers:tf.train.GradientDescentOptimizer",
        "optimizers:tf.train.MomentumOptimizer",
        "optimizers:tf.train.AdagradOptimizer",
        "optimizers:tf.train.AdadeltaOptimizer",
        "optimizers:tf.train.RMSPropOptimizer",
        "optimizers:tf.train.FtrlOptimizer",
        "optimizers:tf.train.AdamOptimizer",
        "partitioners:tf.fixed_size_partitioner",
    ),
)
