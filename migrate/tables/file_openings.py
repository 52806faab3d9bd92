"""Calls of a `with` that open a file, a directory or a progress bar, and no scope of a graph.

Python's own `open` is one, too. Sources: the documentation of Python, h5py and tqdm, and of
`tf.gfile` in TensorFlow 1.15.
"""

from __future__ import annotations

TENSORFLOW = frozenset(
    {"tf.gfile.GFile", "tf.gfile.Open", "tf.gfile.FastGFile", "tf.io.gfile.GFile"}
)
# Of other modules.
PATHS = frozenset(
    {"bz2.open", "codecs.open", "gzip.open", "h5py.File", "io.open", "tqdm.tqdm"}
    | {"tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory"}
)
