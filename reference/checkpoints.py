"""Reads and writes TF1 checkpoints as named arrays, in TensorFlow of either version."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping

import numpy as np

from reference.compare import Array


def read(directory: pathlib.Path) -> dict[str, Array]:
    """Every variable of the directory's latest checkpoint, by its TF1 name."""
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(directory))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def write(directory: pathlib.Path, values: Mapping[str, Array], step: int) -> None:
    """Writes `values` as the checkpoint `model.ckpt-<step>` that a session restores."""
    import tensorflow as tf

    directory.mkdir(parents=True, exist_ok=True)
    names = sorted(values)
    prefix = directory / f"model.ckpt-{step}"
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=names,
        shape_and_slices=[""] * len(names),
        tensors=[tf.constant(np.asarray(values[name])) for name in names],
    )
    # The data file's name is what TF1's Saver gives an unsharded checkpoint.
    (directory / "checkpoint").write_text(
        f'model_checkpoint_path: "{prefix.name}"\n'
        f'all_model_checkpoint_paths: "{prefix.name}"\n'
    )
