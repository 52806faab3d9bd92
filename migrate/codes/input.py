"""Codes I1xx: input."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "I101",
        "iterator that the tool cannot follow",
        "The tool does not see from which dataset an iterator is made, or which iterator `get_next` belongs to. Or one step takes elements from several iterators, or several elements from one. Or the iterator is made, or its element is taken, in a function, a class, a branch or a loop from which the tool cannot move it. Or its dataset is made from placeholders in a way that cannot be made again from what is fed (I111 is the way that can). Or it is not known which dataset a run of `make_initializer` begins, or which iterator's handle a run is fed.",
        why="A step function receives one element of one dataset for each call. So the tool must know which dataset that is, and it does not pair the elements of several iterators. TensorFlow 1 made the iterator once, when it built the graph. Inside a step function, a call would start the dataset again in each trace, and a branch would choose a dataset in every step. TensorFlow 2 makes a dataset from arrays, and has no placeholders to feed later.",
        recipe="Return the dataset from the function, or choose it in the branch. Make the iterator next to the session.",
    ),
    Code(
        "I111",
        "iterator",
        "A TensorFlow 1 iterator becomes a Python iterator of the dataset. `get_next` still raises `tf.errors.OutOfRangeError` at the end. If the dataset was made of placeholders that are fed when its iterator is initialised, a function now makes the dataset from what is fed. Step functions know the elements by the placeholders' types and shapes. An `input_fn` that takes a batch from an iterator becomes a function of the dataset's elements: what it does with the batch becomes a `map` of the dataset, and if a hook initialised the iterator with fed arrays, the dataset is made from the arrays.",
        why="In TensorFlow 1 `get_next` gave a tensor of the graph, and each `session.run` moved the iterator on. In TensorFlow 2 a dataset is a Python iterable, and each step receives the next element. TensorFlow 2 makes a dataset from arrays directly.",
        before="sess.run(iterator.initializer, feed_dict={x: train_x, y: train_y})",
        after="iterator = iter(dataset.fed(train_x, train_y))",
        promise="The elements are the same. A shuffle with a seed begins anew each time, as in TensorFlow 1. Arrays that a hook fed to an `input_fn` are read when it is called; in TensorFlow 1 they were read when the session was made.",
        refused_when="A fed dataset depends on something that changes later, or on other tensors (I101).",
    ),
    Code(
        "I112",
        "random numbers or elements in another order",
        "The migrated program draws the same random numbers, or reads the same elements, in another order. A shuffled and repeated dataset with a seed has another order in each epoch. `shuffle_batch` becomes a dataset's `shuffle` with a buffer of the queue's capacity. A producer that shuffles with a seed keeps TensorFlow 1's order. An operation with a seed that several step functions use draws a stream of its own in each of them, starting at the same seed.",
        why="TensorFlow 1.15 executed `shuffle(seed).repeat()` as one operation, which used another random stream for each epoch. An initializer that ran again started the same order again. `shuffle_batch` took random elements from what its queue held at that moment, which depended on threads, even with a seed. An operation had one stream for all run calls; each step function is a graph of its own.",
    ),
    Code(
        "I120",
        "queue input that the tool does not read",
        "The program reads its input through TensorFlow 1's queues in a form that the tool does not read, or outside of a training program. The finding says which part. It may be an argument that `tf.data` does not have (a queue shared by workers, compressed files, `hop_bytes`, `shapes`), or the keys that a reader returns. Or elements of one queue are used in two places, which share them as they come: two readers, a record beside its batch, a summary of one record, or the queue's size.",
        why="TensorFlow 2 has no queue runners: no threads that fill queues of a graph. The tool replaces queue input as a whole: producer, reader, decoder and batch. With one part in an unknown form the dataset could give other records, and no error would tell you so. Two readers of one queue share its elements: what one takes, the other does not get. Two iterators of one dataset each get all elements, so the program would see every element twice.",
        recipe="Leave the named argument out, or read the data with `tf.data`. `Dataset.enumerate` makes keys. If elements are used in two places, make one dataset for each place.",
    ),
    Code(
        "I131",
        "queue input becomes a dataset",
        "Producers, readers and batches of TensorFlow 1's queues become a dataset with the same records, epochs and last batch, in the same order where TensorFlow 1 had a fixed order. `tf.errors.OutOfRangeError` still ends the epochs. The tool removes `tf.train.start_queue_runners`. A `Coordinator` still requests and joins, with an empty list of threads. No local variable counts epochs: each worker's dataset counts its own. `FixedLengthRecordDataset` raises an error where TensorFlow 1's reader ignored the end of a file with an incomplete record.",
        why="TensorFlow 2 has no queue runners. A `tf.data.Dataset` reads the same files in the same order, and needs no threads, no coordinator and no session. TensorFlow 1 counted a producer's epochs in a local variable. If nothing initialised it, the input ended with the first step. If `replica_device_setter` placed it on a parameter server, all workers counted in it, and each worker that started set it to 0 again.",
        before="files = tf.train.string_input_producer(names, num_epochs=1)\n_, line = tf.TextLineReader().read(files)",
        after="dataset = tf.data.TextLineDataset(names)",
    ),
)
