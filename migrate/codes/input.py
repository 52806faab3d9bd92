"""Codes I1xx: input."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "I101",
        "dataset iterator that the tool cannot follow",
        "The tool cannot tell which dataset's element a step receives. So it cannot replace the TensorFlow 1 iterator by a Python iterator.",
        why="A step function receives one element of each dataset for each call. So the tool must know which datasets these are. TensorFlow 1 made the iterator once, when it built the graph. Inside a step function, a call would start the dataset again in each trace, and a branch would choose a dataset in every step. TensorFlow 2 makes a dataset from arrays, and has no placeholders to feed later.",
        recipe="Make the iterator where the session is opened. If a function makes it, let the function return the dataset. If a branch takes its element, choose the dataset in the branch, and take the element after it.",
        refused_when="The tool does not see from which dataset an iterator is made, or to which iterator `get_next` belongs. Or one step takes several elements from one iterator. Or it takes elements from several iterators, and the run feeds a part of an element or chooses a dataset by its handle. Or the program makes the iterator, or takes its element, in a function, a class, a branch or a loop from which the tool cannot move it. Or the dataset is made from placeholders in another way than I111 describes. Or the tool cannot tell which dataset a run of `make_initializer` starts, or which iterator's handle is fed.",
    ),
    Code(
        "I111",
        "TensorFlow 1 iterator becomes a Python iterator",
        "A TensorFlow 1 iterator becomes a Python iterator of the dataset. `get_next` still raises `tf.errors.OutOfRangeError` at the end. If the dataset was made from placeholders that are fed when its iterator is initialised, a function now makes the dataset from the fed arrays.",
        why="In TensorFlow 1 `get_next` gave a tensor of the graph, and each `session.run` moved the iterator on. In TensorFlow 2 a dataset is a Python iterable, and each step receives the next element. TensorFlow 2 makes a dataset from arrays directly.",
        before="sess.run(iterator.initializer, feed_dict={x: train_x, y: train_y})",
        after="iterator = iter(dataset.fed(train_x, train_y))",
        promise="The elements are the same. If a function makes the dataset again from fed arrays, a shuffle with a seed begins anew each time, as in TensorFlow 1. If the program makes a new iterator of one dataset, a seeded shuffle has another order in each pass (I112). If an `input_fn` takes a batch from an iterator and computes with it, the computation becomes a `map` of the dataset. Arrays that a hook fed to an `input_fn` are read when it is called; in TensorFlow 1 they were read when the session was made.",
        refused_when="A fed dataset depends on something that changes later, or on other tensors (I101).",
    ),
    Code(
        "I112",
        "random numbers or elements in another order",
        "The migrated program draws the same random numbers, or reads the same elements, in another order. This may happen to a shuffled and repeated dataset with a seed, to `shuffle_batch`, and to a seeded operation that several step functions use. It happens to operations without a seed of their own if their graph has one: `tf.set_random_seed`, or an Estimator's `tf_random_seed`. And it happens to random initial values if the program initialises variables again: TensorFlow 1 drew new ones.",
        why="TensorFlow 1.15 executed `shuffle(seed).repeat()` as one operation, which used another random stream for each epoch. An initializer that ran again started the same order again. `shuffle_batch` took random elements from what its queue held at that moment, which depended on threads, even with a seed. An operation had one stream for all run calls; each step function is a graph of its own.",
        promise="`shuffle_batch` becomes a dataset's `shuffle` with a buffer of the queue's capacity. A producer that shuffles with a seed keeps TensorFlow 1's order. A seeded operation draws a stream of its own in each step function, and all of these streams start at the same seed. Variables that are initialised again get their first values again.",
    ),
    Code(
        "I120",
        "queue input in an unsupported form",
        "The program reads its input through TensorFlow 1's queues in a form that the tool does not support, or outside of a training program. The finding names the part.",
        why="TensorFlow 2 has no queue runners: no threads that fill queues of a graph. The tool replaces queue input as a whole: producer, reader, decoder and batch. With one part in an unknown form the dataset could give other records, and no error would tell you so. Two readers of one queue share its elements: each element goes to one of the readers. Two iterators of one dataset each get all elements, so the program would see every element twice.",
        recipe="Leave the named argument out, or read the data with `tf.data`. Make keys with `Dataset.enumerate`. If two places use the elements, make one dataset for each place.",
        refused_when="An argument has no counterpart in `tf.data`: a queue shared by workers, compressed files, `hop_bytes`, or `shapes`. Or the program uses the keys that a reader returns, or the queue's size. Or two places use the elements of one queue: two readers, a record beside its batch, or a summary of one record.",
    ),
    Code(
        "I131",
        "queue input becomes a dataset",
        "Producers, readers and batches of TensorFlow 1's queues become a `tf.data.Dataset`. `tf.errors.OutOfRangeError` still ends the epochs. The tool removes `tf.train.start_queue_runners`. A `Coordinator` stays, and its methods still work, but there are no threads that it could join.",
        why="TensorFlow 2 has no queue runners. A `tf.data.Dataset` reads the same files in the same order, and needs no threads, no coordinator and no session. TensorFlow 1 counted a producer's epochs in a local variable. If nothing initialised it, the input ended with the first step. If `replica_device_setter` placed this variable on a parameter server, all workers counted in it, and each worker that started set it to 0 again.",
        before="files = tf.train.string_input_producer(names, num_epochs=1)\n_, line = tf.TextLineReader().read(files)",
        after="dataset = tf.data.TextLineDataset(names)",
        promise="The records, the epochs and the last batch are the same, and so is the order if TensorFlow 1 had a fixed order. Each worker's dataset counts its own epochs, and no local variable does. `FixedLengthRecordDataset` raises an error if a file ends with an incomplete record; TensorFlow 1's reader ignored that end.",
    ),
)
