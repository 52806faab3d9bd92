"""Reads and writes TF1 checkpoints as named arrays, in TensorFlow of either version."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Iterable, Mapping

import numpy as np

from reference.compare import Array


def read(directory: pathlib.Path) -> dict[str, Array]:
    """Every variable of the directory's latest checkpoint, by its TF1 name."""
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(directory))
    return {
        name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
    }


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
    _list(directory, prefix.name)


def files(directory: pathlib.Path, step: int) -> list[pathlib.Path]:
    """The files of `model.ckpt-<step>`: the index and the data, not the graph.

    Raises:
      FileNotFoundError: there is no such checkpoint.
    """
    index = directory / f"model.ckpt-{step}.index"
    if not index.exists():
        raise FileNotFoundError(index)
    return [index, *sorted(directory.glob(f"model.ckpt-{step}.data-*"))]


def copy(saved: Iterable[pathlib.Path], directory: pathlib.Path) -> None:
    """Copies a checkpoint's files, byte by byte, as the directory's latest."""
    directory.mkdir(parents=True, exist_ok=True)
    for path in saved:
        shutil.copyfile(path, directory / path.name)
        if path.suffix == ".index":
            _list(directory, path.stem)


def _list(directory: pathlib.Path, name: str) -> None:
    (directory / "checkpoint").write_text(
        f'model_checkpoint_path: "{name}"\nall_model_checkpoint_paths: "{name}"\n'
    )
