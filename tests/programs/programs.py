"""The variant programs: how each is launched, and what it covers."""

from __future__ import annotations

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).parent / "clustered"


@dataclasses.dataclass(frozen=True)
class Variant:
    """One TF1 program of `clustered`, which takes the launch flags of a cluster.

    Attributes:
      name: file name without suffix.
      covers: what of TF1 it uses that others do not.
      ps, workers: topology.
      equal: losses can be compared with TF 1.15's from the same start; False where
        initial weights or dropout are drawn at random.
      tolerance: of that comparison. Float32 losses of order 1: a few ULPs, more
        where a softmax is in them (`exp` differs by one ULP between the versions).
      lines: losses the chief writes at least.
      alone: it also trains without a cluster, where its flags give none.
    """

    name: str
    covers: str
    ps: int = 1
    workers: int = 1
    equal: bool = False
    tolerance: float = 1e-6
    lines: int = 10
    alone: bool = False

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


VARIANTS = (
    Variant(
        "layers_functions",
        "argparse; module-level script; tf.layers in a helper; "
        "UPDATE_OPS; Nesterov momentum under a schedule; hooks; summaries",
        workers=2,
    ),
    Variant(
        "dataset_iterator",
        "TF_CONFIG; tf.data one-shot iterator; get_variable under "
        "variable_scope; tf.gradients and clip_by_global_norm; Scaffold; Saver; "
        "StepCounterHook, CheckpointSaverHook; tf.Graph().as_default()",
        equal=True,
    ),
    Variant(
        "embedding_partitioned",
        "absl flags; ps_tasks; fixed_size_partitioner; "
        "embedding_lookup under mod; two managers in one with; indexed result",
        ps=2,
    ),
    Variant(
        "sync_always",
        "SyncReplicasOptimizer always; compute_gradients and clip_by_norm; "
        "polynomial decay; epochs; list of hooks",
        equal=True,
    ),
    Variant(
        "helpers_chain",
        "weight helpers; a staged helper in a chain; a class; reuse; "
        "placeholder_with_default; keep_prob; summaries in a helper; RMSProp",
    ),
    Variant(
        "class_layers_loop",
        "layer classes; layers in a loop; Greedy placement; Ftrl; "
        "loop on the fetched step",
        ps=2,
    ),
    Variant(
        "compat_v1_import",
        "import tensorflow.compat.v1; AUTO_REUSE; dict fetches; "
        "piecewise rates; clip_by_value; Adadelta; ProfilerHook; min_max partitioner "
        "from tensorflow.python.ops on a scope",
        ps=2,
    ),
    # Its rate overshoots (losses of 2.3, 14, 0.7): what begins as an ULP at step 2 is 1e-4
    # at step 14 on a processor with AVX-512, 4e-5 on others.
    Variant(
        "mnist_reader",
        "contrib.learn's MNIST reader; SyncReplicas under a flag that is "
        "off; Adagrad under inverse_time_decay; SummarySaverHook; image summary; cluster "
        "given as a dict",
        equal=True,
        tolerance=5e-4,
        lines=20,
    ),
    Variant(
        "initializable_iterator",
        "initializable iterator; OutOfRangeError; dataset of dicts; "
        "from tensorflow import layers, train; proximal descent under natural_exp_decay",
        equal=True,
        lines=12,
    ),
    Variant(
        "sync_old_wiring",
        "SyncReplicasOptimizer under a flag that is on; chief queue runner "
        "and init tokens; ps_device; reduction_indices; LoggingTensorHook "
        "with a list and seconds; device filters",
        workers=2,
        lines=30,
    ),
    Variant(
        "wide_partitioned_div",
        "variable_axis_size_partitioner on a scope; div lookup; scope "
        "initializer; evaluation between epochs; tf.train.global_step",
        ps=2,
        equal=True,
        lines=12,
    ),
    Variant(
        "sharded_input",
        "a dataset sharded by the task's index; a generator; argparse",
        workers=2,
        lines=8,
    ),
)
