"""TF1's input queues: their parameters, and the datasets that give the same records.

Signatures are those of TensorFlow 1.15.5. What the datasets give was compared with what
its queues gave, record by record: producers with and without a seed, the four readers,
`read_up_to`, epochs, last batches (`reference/queue_input`, `tests/programs/alone`).
"""

from __future__ import annotations

import dataclasses
import enum


class Gives(enum.Enum):
    """One kind of result of a producer."""

    QUEUE = "a queue of the rows of a tensor"
    NUMBERS = "a queue of the numbers below a limit"
    TENSORS = "a list of tensors, a slice of each of several"


@dataclasses.dataclass(frozen=True)
class Producer:
    """A function that puts the rows of what it is given into a queue, epoch by epoch.

    Attributes:
      parameters: in the order of its signature; the first is what it is given.
      gives: what it returns.
    """

    parameters: tuple[str, ...]
    gives: Gives


_EPOCHS = ("num_epochs", "shuffle", "seed", "capacity", "shared_name")

PRODUCERS: dict[str, Producer] = {
    "tf.train.string_input_producer": Producer(
        ("string_tensor", *_EPOCHS, "name", "cancel_op"), Gives.QUEUE
    ),
    "tf.train.input_producer": Producer(
        (
            *("input_tensor", "element_shape", *_EPOCHS),
            *("summary_name", "name", "cancel_op"),
        ),
        Gives.QUEUE,
    ),
    "tf.train.range_input_producer": Producer(
        ("limit", *_EPOCHS, "name"), Gives.NUMBERS
    ),
    "tf.train.slice_input_producer": Producer(
        ("tensor_list", *_EPOCHS, "name"), Gives.TENSORS
    ),
}


@dataclasses.dataclass(frozen=True)
class Reader:
    """A reader of files.

    Attributes:
      parameters: in the order of its signature.
      dataset: the dataset of one file's records, with its arguments by name; None for a
        reader whose record is the whole file.
      arguments: the reader's arguments that the dataset has under the same name.
      skip: the argument that says how many of a file's first records are left out.
    """

    parameters: tuple[str, ...]
    dataset: str | None
    arguments: tuple[str, ...] = ()
    skip: str | None = None


READERS: dict[str, Reader] = {
    "tf.TFRecordReader": Reader(("name", "options"), "TFRecordDataset"),
    "tf.TextLineReader": Reader(
        ("skip_header_lines", "name"), "TextLineDataset", skip="skip_header_lines"
    ),
    "tf.FixedLengthRecordReader": Reader(
        ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes", "name"),
        "FixedLengthRecordDataset",
        ("record_bytes", "header_bytes", "footer_bytes"),
    ),
    "tf.WholeFileReader": Reader(("name",), None),
}


@dataclasses.dataclass(frozen=True)
class Batcher:
    """A function that puts records into a queue and takes batches from it.

    Attributes:
      parameters: in the order of its signature; the first is the records.
      join: whether it takes a list of lists, a thread for each.
      shuffles: whether its queue gives the records in a random order.
    """

    parameters: tuple[str, ...]
    join: bool = False
    shuffles: bool = False


_FIFO = ("enqueue_many", "shapes", "dynamic_pad", "allow_smaller_final_batch")
_RANDOM = ("seed", "enqueue_many", "shapes", "allow_smaller_final_batch")
_NAMES = ("shared_name", "name")

BATCHERS: dict[str, Batcher] = {
    "tf.train.batch": Batcher(
        ("tensors", "batch_size", "num_threads", "capacity", *_FIFO, *_NAMES)
    ),
    "tf.train.batch_join": Batcher(
        ("tensors_list", "batch_size", "capacity", *_FIFO, *_NAMES), join=True
    ),
    "tf.train.shuffle_batch": Batcher(
        (
            *("tensors", "batch_size", "capacity", "min_after_dequeue"),
            *("num_threads", *_RANDOM, *_NAMES),
        ),
        shuffles=True,
    ),
    "tf.train.shuffle_batch_join": Batcher(
        (
            *("tensors_list", "batch_size", "capacity", "min_after_dequeue"),
            *(*_RANDOM, *_NAMES),
        ),
        join=True,
        shuffles=True,
    ),
}

START = "tf.train.start_queue_runners"
MATCH_ONCE = "tf.train.match_filenames_once"
# Symbols that make a helper that calls them a part of feeding by queues.
INPUT = frozenset({*PRODUCERS, *READERS, *BATCHERS})
# Arguments that decide neither which records there are nor their order.
WITHOUT_EFFECT = frozenset({"name", "capacity", "num_threads", "element_shape"})
# Symbols with which a record cannot be made inside the function that a dataset maps.
NOT_OF_A_RECORD = ("tf.summary", "tf.placeholder", "tf.Variable", "tf.get_variable")
# Operations that have another value each time they are computed.
ANEW = (
    *("tf.random", "tf.truncated_normal", "tf.multinomial", "tf.py_func"),
    *("tf.py_function", "tf.numpy_function", "tf.Variable", "tf.get_variable"),
)
