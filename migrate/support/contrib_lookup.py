"""Tables of tf.contrib.lookup: between words and their places in a vocabulary.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Words outside of the vocabulary are hashed as TF1 hashed them
(`FastHashSpec`, its default). A table's `again` makes the same one in another graph.
"""

import tensorflow as tf

v1 = tf.compat.v1
_lookup = tf.lookup


def index_table_from_tensor(
    mapping, num_oov_buckets=0, default_value=-1, dtype=tf.string, name=None
):
    """From a value of `mapping` to its place there, int64.

    Args:
      mapping: a tensor or list, rank 1.
      num_oov_buckets: how many numbers more other values are hashed to; if 0, these are
        `default_value`.
    """
    mapping = _values(mapping)

    def initial():
        keys = tf.convert_to_tensor(mapping, dtype)
        places = tf.range(tf.size(keys, tf.int64))
        return _lookup.KeyValueTensorInitializer(keys, places)

    return _of_words(initial, num_oov_buckets, default_value, name)


def index_table_from_file(
    vocabulary_file, num_oov_buckets=0, vocab_size=None, default_value=-1, name=None
):
    """From a line of a file to its number, from 0, int64; else as from a tensor."""

    def initial():
        return _Lines(
            vocabulary_file,
            *(tf.string, _lookup.TextFileIndex.WHOLE_LINE),
            *(tf.int64, _lookup.TextFileIndex.LINE_NUMBER),
            vocab_size=vocab_size,
        )

    return _of_words(initial, num_oov_buckets, default_value, name)


def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
    """From a place in `mapping`, int64, to its word, or to `default_value`."""
    mapping = _values(mapping)

    def initial():
        words = tf.convert_to_tensor(mapping, tf.string)
        places = tf.range(tf.size(words, tf.int64))
        return _lookup.KeyValueTensorInitializer(places, words)

    return _made("StaticHashTable", initial, default_value, name)


def index_to_string_table_from_file(
    vocabulary_file, vocab_size=None, default_value="UNK", name=None
):
    """From a line's number, int64, to the line, or to `default_value`."""

    def initial():
        return _Lines(
            vocabulary_file,
            *(tf.int64, _lookup.TextFileIndex.LINE_NUMBER),
            *(tf.string, _lookup.TextFileIndex.WHOLE_LINE),
            vocab_size=vocab_size,
        )

    return _made("StaticHashTable", initial, default_value, name)


class _Lines(_lookup.TextFileInitializer):
    """Lines of a file: after it has changed, another table reads it anew, as in TF1."""

    @property
    def _shared_name(self):
        # Tables of one name are one, which is read once in a process.
        name, path = super()._shared_name, self._filename_arg
        if tf.is_tensor(path):
            path = tf.get_static_value(path)
        if path is None or not tf.io.gfile.exists(path):
            return name
        file = tf.io.gfile.stat(path)
        return f"{name}_{file.length}_{file.mtime_nsec}"


def _of_words(initial, num_oov_buckets, default_value, name):
    if num_oov_buckets:
        return _made("StaticVocabularyTable", initial, num_oov_buckets, name)
    return _made("StaticHashTable", initial, default_value, name)


def _made(kind, initial, argument, name):
    """A table; outside of graphs TF2's own, of which a strategy knows."""
    module = _lookup if tf.executing_eagerly() else v1.lookup
    table = getattr(module, kind)(initial(), argument, name=name)
    table.again = lambda: _made(kind, initial, argument, name)
    return table


def _values(mapping):
    """What a tensor holds, for other graphs, where that is known."""
    return mapping.numpy() if hasattr(mapping, "numpy") else mapping
