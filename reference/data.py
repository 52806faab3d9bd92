"""A small MNIST stand-in: learnable digits in MNIST's own file format."""

from __future__ import annotations

import gzip
import pathlib
import struct

import numpy as np

TRAIN_EXAMPLES, TEST_EXAMPLES = 2000, 500


def write_mnist(directory: pathlib.Path, seed: int = 0) -> None:
    """Writes the four idx gz files that the MNIST readers expect.

    Each class is a fixed random 28x28 pattern under noise, so that a small
    classifier learns it in a few hundred steps. Deterministic in `seed`.
    """
    random = np.random.RandomState(seed)
    patterns = random.randint(0, 256, size=(10, 28, 28))
    directory.mkdir(parents=True, exist_ok=True)
    for prefix, count in (("train", TRAIN_EXAMPLES), ("t10k", TEST_EXAMPLES)):
        labels = random.randint(0, 10, size=count)
        noise = random.randint(0, 256, size=(count, 28, 28))
        images = (0.4 * patterns[labels] + 0.6 * noise).astype(np.uint8)
        _write(
            directory / f"{prefix}-images-idx3-ubyte.gz",
            struct.pack(">4I", 2051, count, 28, 28) + images.tobytes(),
        )
        _write(
            directory / f"{prefix}-labels-idx1-ubyte.gz",
            struct.pack(">2I", 2049, count) + labels.astype(np.uint8).tobytes(),
        )


def _write(path: pathlib.Path, content: bytes) -> None:
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out:
        out.write(content)
