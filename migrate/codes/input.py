"""Codes I1xx: input."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "I101",
        "iterator without a dataset",
        "The tool does not see from which dataset an iterator is made, or which iterator `get_next` belongs to.",
        why="A step function receives the elements of a dataset as arguments. So the tool must know which dataset the elements come from.",
    ),
    Code(
        "I103",
        "several iterators",
        "One step takes elements from several iterators, or several elements from one.",
        why="A step function receives one element for each call, from the one iterator that the loop uses. The tool does not pair the elements of several iterators.",
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
        "queue or queue runner in an unknown form",
        "The program uses a queue or a queue runner in a form that the tool does not read.",
        why="TensorFlow 2 has no queue runners: no threads that fill queues of a graph. The tool replaces queues by datasets, but it must recognise all of the queue's use to do so.",
    ),
    Code(
        "I130",
        "iterator made in a function",
        "A function or a class makes an iterator or takes its element. The tool moves this to where the session is opened, and refuses it where it cannot be moved.",
        why="TensorFlow 1 ran the function once, when it built the graph. A step function that calls it would start the dataset again in each trace.",
        recipe="Return the dataset from the function, and make the iterator next to the session.",
    ),
    Code(
        "I131",
        "queue input",
        "Producers, readers and batches of TensorFlow 1's queues become a dataset with the same records, epochs and last batch, in the same order where TensorFlow 1 had a fixed order. `tf.errors.OutOfRangeError` still ends the epochs. No local variable counts epochs. `FixedLengthRecordDataset` raises an error where TensorFlow 1's reader ignored the end of a file with an incomplete record.",
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
        "I134",
        "keys of records",
        "The program uses the keys that a queue reader returns (a file's name and a position).",
        why="A queue reader returned a key for each record: the file's name and a position. A dataset returns only the record, so the program would have to build the key itself.",
        recipe="Make keys with `Dataset.enumerate`.",
    ),
    Code(
        "I135",
        "argument of queue input",
        "An argument of a queue producer, reader or batch has no equal in `tf.data`: a queue shared by workers, compressed files, `hop_bytes`, or `shapes`.",
        why="`tf.data` cannot do what this argument asks for. Without the argument the dataset would give other records than the queue, and no error would tell you so.",
        recipe="Leave the argument out, or write the input with `tf.data`.",
    ),
    Code(
        "I136",
        "form of queue input",
        "The queue input has a form that the tool does not read. The finding says which part.",
        why="The tool replaces queue input as a whole: producer, reader, decoder and batch. With one part in an unknown form it would read other records, or the same ones in another order.",
        recipe="Read the data with `tf.data`.",
    ),
    Code(
        "I137",
        "start of queue runners",
        "`tf.train.start_queue_runners` goes. A `Coordinator` still requests and joins, with an empty list of threads.",
        why="Queue runners were threads that filled the queues of the graph. A dataset has no such threads, so there is nothing to start.",
    ),
    Code(
        "I138",
        "dataset element in a branch",
        "The program makes an iterator, or takes its element, in a branch or a loop.",
        why="Each step function is traced for the elements of one dataset. A branch or a loop would decide in every step which dataset the element comes from.",
        recipe="Choose the dataset in the branch, and take the element after it.",
    ),
    Code(
        "I139",
        "count of epochs",
        "Each worker's dataset now counts its own epochs.",
        why="TensorFlow 1 counted a producer's epochs in a local variable. If nothing initialised it, the input ended with the first step. If `replica_device_setter` placed it on a parameter server, all workers counted in it, and each worker that started set it to 0 again.",
    ),
)
