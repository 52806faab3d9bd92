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
        "The dataset is made from placeholders, in a way that cannot be made again of what is fed (S182). Give it the arrays.",
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
    Code(
        "I130",
        "iterator in a function",
        "A function or a class makes an iterator, or takes its element. TF1 ran that once, when the graph was built; a step function that calls it would begin its dataset anew. It is brought to where the session is opened; where it cannot be, it is refused. Return the dataset, and make the iterator there.",
    ),
    Code(
        "I131",
        "queue input",
        "Producers, readers and batches of TF1's queues are a dataset with the same records, epochs and last batch, in the same order where TF1 had one. tf.errors.OutOfRangeError still ends the epochs. No local variables count them, and an iterator begins where the session is opened. FixedLengthRecordDataset raises where TF1's reader left out the rest of a file that is no multiple of its records.",
    ),
    Code(
        "I132",
        "another order of queue elements",
        "shuffle_batch took its elements at random from what its queue held at the time, which depended on threads: with a seed, too. A dataset's shuffle takes them from a buffer of the queue's capacity. A producer that shuffles without a seed orders every epoch at random in both; with a seed its order is TF1's. Several threads had no order.",
    ),
    Code(
        "I133",
        "queue element used otherwise",
        "Elements of a queue are used in two places, which share them as they come: two readers, a record beside its batch, a summary of a single record, the queue's size. Make a dataset for each.",
    ),
    Code(
        "I134",
        "keys of records",
        "A reader's keys (the file's name and a position) are used. Datasets have none. Make them with Dataset.enumerate.",
    ),
    Code(
        "I135",
        "argument of queue input",
        "An argument of a producer, reader or batch has no counterpart: a queue shared by workers, compressed files, hop_bytes, shapes.",
    ),
    Code(
        "I136",
        "form of queue input",
        "Queue input of a form that this version does not read; the finding says which. Read the data with tf.data.",
    ),
    Code(
        "I137",
        "start of queue runners",
        "There are no threads to start; a Coordinator still asks and joins, with an empty list.",
    ),
    Code(
        "I138",
        "element in a branch",
        "An iterator, or its element, is made in a branch or a loop. Each step function is told one dataset: choose it in the branch, and take the element after it.",
    ),
    Code(
        "I139",
        "count of epochs",
        "TF1 counted a producer's epochs in a local variable. Where nothing initialised it, the input ended with the first step. Where replica_device_setter placed it on a parameter server, all workers counted in it, and each worker that started set it to 0 again. Here each worker's dataset has its epochs.",
    ),
)
