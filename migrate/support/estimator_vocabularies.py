"""tf.estimator.VocabInfo: a warm start where a vocabulary has changed.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import collections

import numpy as np
import tensorflow as tf


class VocabInfo(
    collections.namedtuple(
        "VocabInfo",
        [
            "new_vocab",
            "new_vocab_size",
            "num_oov_buckets",
            "old_vocab",
            "old_vocab_size",
            "backup_initializer",
            "axis",
        ],
    )
):
    """Says which word each row (or column: `axis`) of a variable was for, and is for now.

    Words that are new, and the buckets of unknown words, get what `backup_initializer`
    gives, or zeros. Vocabularies are files with a word in each line.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab,
        new_vocab_size,
        num_oov_buckets,
        old_vocab,
        old_vocab_size=-1,
        backup_initializer=None,
        axis=0,
    ):
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1. "
                f"Provided axis: {axis}"
            )
        given = new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size
        return super().__new__(cls, *given, backup_initializer, axis)

    def remapped(self, value):
        """A matrix of the checkpoint, [old words, n] or [n, old words], for the new words."""
        if self.axis == 1:
            return self._rows(value.T).T
        return self._rows(value)

    def _rows(self, value):
        words = _words(self.old_vocab)
        if self.old_vocab_size > 0:
            words = words[: self.old_vocab_size]
        old = {word: row for row, word in enumerate(words)}
        new = _words(self.new_vocab)[: self.new_vocab_size]
        known = [row for row, word in enumerate(new) if word in old]
        result = np.zeros(
            (len(new) + self.num_oov_buckets, value.shape[1]), value.dtype
        )
        result[known] = value[[old[new[row]] for row in known]]
        if self.backup_initializer is not None:
            others = sorted(set(range(len(result))) - set(known))
            shape = [len(others), value.shape[1]]
            result[others] = self.backup_initializer(shape, dtype=value.dtype)
        return result


def _words(path):
    with tf.io.gfile.GFile(path) as file:
        return [line.rstrip("\n") for line in file]
