"""Codes I1xx: input."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "I101",
        "iterator without a dataset",
        "The iterator is not made from a dataset in sight.",
    ),
    Code(
        "I102",
        "unknown iterator",
        "get_next of an iterator that is not made where the graph is.",
    ),
    Code(
        "I103",
        "several iterators",
        "One step would draw from several iterators. Zip the datasets.",
    ),
    Code(
        "I105",
        "dataset of placeholders",
        "The dataset is made from placeholders. Give it the arrays.",
    ),
    Code(
        "I110",
        "MNIST reader",
        "TF2 has no MNIST reader. A module with the same functions is written beside the file: same batches in the same order for the same numpy seed.",
    ),
    Code(
        "I111",
        "iterator",
        "A Python iterator of the dataset; get_next still raises tf.errors.OutOfRangeError at the end.",
    ),
    Code(
        "I112",
        "another order of shuffled elements",
        "TensorFlow 1.15 executed shuffle(seed).repeat() as one operation, which ordered every epoch by another stream of random numbers than two do, and an initializer that ran again began the same order again. TF2 does neither: the elements of an epoch are the same, their order is another, although the seed is not.",
    ),
    Code(
        "I120",
        "queue runner",
        "TF2 has no queue runners. Read the data with tf.data.",
    ),
)
