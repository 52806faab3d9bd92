"""Codes I1xx: input."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "I101",
        "iterator whose dataset is not clear",
        "The tool does not see from which dataset an iterator is made, or which iterator `get_next` belongs to. Or one step takes elements from several iterators, or several elements from one.",
        why="A step function receives one element of one dataset for each call. So the tool must know which dataset that is, and it does not pair the elements of several iterators.",
    ),
    Code(
        "I105",
        "dataset of placeholders",
        "A dataset is made from placeholders in a way that cannot be made again from what is fed (S182 is the way that can).",
        why="TensorFlow 2 makes a dataset from arrays, and has no placeholders to feed later. The tool can write a function that makes the dataset from the fed arrays, but only for forms that it reads whole.",
    ),
    Code(
        "I110",
        "MNIST reader",
        "A module with the same functions is written beside the file. It gives the same batches in the same order for the same NumPy seed.",
        why="TensorFlow 2 has no `tensorflow.examples.tutorials.mnist`. The emitted module reads the same four files, and gives the same batches.",
    ),
    Code(
        "I111",
        "iterator",
        "A TensorFlow 1 iterator becomes a Python iterator of the dataset. `get_next` still raises `tf.errors.OutOfRangeError` at the end.",
        why="In TensorFlow 1 `get_next` gave a tensor of the graph, and each `session.run` moved the iterator on. In TensorFlow 2 a dataset is a Python iterable, and each step receives the next element.",
    ),
    Code(
        "I112",
        "shuffled elements in another order",
        "A shuffled and repeated dataset with a seed gives the same elements in each epoch, but in another order.",
        why="TensorFlow 1.15 executed `shuffle(seed).repeat()` as one operation, which used another random stream for each epoch. An initializer that ran again started the same order again. TensorFlow 2 does neither.",
    ),
    Code(
        "I120",
        "queue input that the tool does not read",
        "The program reads its input through TensorFlow 1's queues in a form that the tool does not read, or outside of a training program. The finding says which part. It may be an argument that `tf.data` does not have (a queue shared by workers, compressed files, `hop_bytes`, `shapes`), or the keys that a reader returns.",
        why="TensorFlow 2 has no queue runners: no threads that fill queues of a graph. The tool replaces queue input as a whole: producer, reader, decoder and batch. With one part in an unknown form the dataset could give other records, and no error would tell you so.",
        recipe="Leave the named argument out, or read the data with `tf.data`. `Dataset.enumerate` makes keys.",
    ),
    Code(
        "I130",
        "iterator made in a function, a branch or a loop",
        "The program makes an iterator, or takes its element, in a function, a class, a branch or a loop. The tool moves a function's iterator to where the session is opened, and refuses what it cannot move.",
        why="TensorFlow 1 made the iterator once, when it built the graph. A step function is traced for the elements of one dataset. Inside it, a call would start the dataset again in each trace, and a branch would choose a dataset in every step.",
        recipe="Return the dataset from the function, or choose it in the branch. Make the iterator next to the session.",
    ),
    Code(
        "I131",
        "queue input becomes a dataset",
        "Producers, readers and batches of TensorFlow 1's queues become a dataset with the same records, epochs and last batch, in the same order where TensorFlow 1 had a fixed order. `tf.errors.OutOfRangeError` still ends the epochs. The tool removes `tf.train.start_queue_runners`. A `Coordinator` still requests and joins, with an empty list of threads. No local variable counts epochs. `FixedLengthRecordDataset` raises an error where TensorFlow 1's reader ignored the end of a file with an incomplete record.",
        why="TensorFlow 2 has no queue runners. A `tf.data.Dataset` reads the same files in the same order, and needs no threads, no coordinator and no session.",
        before="files = tf.train.string_input_producer(names, num_epochs=1)\n_, line = tf.TextLineReader().read(files)",
        after="dataset = tf.data.TextLineDataset(names)",
    ),
    Code(
        "I132",
        "queue elements in another order",
        "`shuffle_batch` becomes a dataset's `shuffle` with a buffer of the queue's capacity. A producer that shuffles with a seed keeps TensorFlow 1's order. Other orders differ from run to run, as before.",
        why="`shuffle_batch` took random elements from what its queue held at that moment. That depended on threads, even with a seed.",
    ),
    Code(
        "I133",
        "queue element used twice",
        "Elements of one queue are used in two places, which share them as they come: two readers, a record beside its batch, a summary of one record, or the queue's size.",
        why="Two readers of one queue share its elements: what one takes, the other does not get. Two iterators of one dataset each get all elements, so the program would see every element twice.",
        recipe="Make one dataset for each place.",
    ),
    Code(
        "I139",
        "count of epochs",
        "Each worker's dataset now counts its own epochs.",
        why="TensorFlow 1 counted a producer's epochs in a local variable. If nothing initialised it, the input ended with the first step. If `replica_device_setter` placed it on a parameter server, all workers counted in it, and each worker that started set it to 0 again.",
    ),
)
