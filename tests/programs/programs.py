"""The variant programs: how each is launched, and what it covers."""

from __future__ import annotations

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Variant:
    """One TF1 program of `tests/programs`.

    Attributes:
      name: file name without suffix.
      covers: what of TF1 it uses that others do not.
      ps, workers: topology.
      equal: losses can be compared with TF 1.15's from the same start; False where
        initial weights or dropout are drawn at random.
      lines: losses the chief writes at least.
    """

    name: str
    covers: str
    ps: int = 1
    workers: int = 1
    equal: bool = False
    lines: int = 10

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


VARIANTS = (
    Variant("layers_functions", "argparse; module-level script; tf.layers in a helper; "
            "UPDATE_OPS; Nesterov momentum under a schedule; hooks; summaries", workers=2),
    Variant("dataset_iterator", "TF_CONFIG; tf.data one-shot iterator; get_variable under "
            "variable_scope; tf.gradients and clip_by_global_norm; Scaffold; Saver; "
            "StepCounterHook, CheckpointSaverHook; tf.Graph().as_default()", equal=True),
    Variant("embedding_partitioned", "absl flags; ps_tasks; fixed_size_partitioner; "
            "embedding_lookup under mod; two managers in one with; indexed result", ps=2),
    Variant("sync_always", "SyncReplicasOptimizer always; compute_gradients and clip_by_norm; "
            "polynomial decay; epochs; list of hooks", equal=True),
    Variant("helpers_chain", "weight helpers; a staged helper in a chain; a class; reuse; "
            "placeholder_with_default; keep_prob; summaries in a helper; RMSProp"),
    Variant("class_layers_loop", "layer classes; layers in a loop; Greedy placement; Ftrl; "
            "loop on the fetched step", ps=2),
)
