"""Input by queues: what is said of it, and where it is refused.

That the datasets give TF1's records is shown by running them: `tests/programs/alone`
(queue_*), `tests/programs/queue_*` and `reference/queue_input`.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf

queue = tf.train.string_input_producer(["a", "b"], shuffle=False)
reader = tf.TextLineReader()
key, line = reader.read(queue)
x = tf.string_to_number(line)
batch = tf.train.batch([x], 4)
w = tf.Variable(1.0)
loss = tf.reduce_mean(batch * w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess)
    print(sess.run(loss))
"""


def _codes(text: str, outcome: Outcome) -> set[str]:
    return {f.code for f in migrate_text(text).findings if f.outcome is outcome}


def _with(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


def test_it_becomes_a_dataset() -> None:
    migration = migrate_text(PROGRAM)
    assert not _codes(PROGRAM, Outcome.REFUSED)
    assert ".flat_map(tf.data.TextLineDataset)" in migration.text
    assert ".batch(4, drop_remainder=True)" in migration.text
    assert "reader" not in migration.text
    assert migrate_text(migration.text).text == migration.text


READ = "key, line = reader.read(queue)\n"
BATCH = "batch = tf.train.batch([x], 4)\n"
REFUSED = {
    # Two that take elements of one queue share them.
    "two reads": (READ, READ + "_, other = tf.TextLineReader().read(queue)\n", "I120"),
    "beside its batch": ("batch * w", "batch * w + x", "I120"),
    "in a helper": ("batch * w", "batch * (lambda: x)()", "I120"),
    "size": ("batch * w", "batch * w + tf.to_float(queue.size())", "I120"),
    "summary": (BATCH, 'tf.summary.scalar("x", x)\n' + BATCH, "I120"),
    "placeholder": (BATCH, "x += tf.placeholder(tf.float32, [])\n" + BATCH, "I120"),
    "key": ("[x], 4", "[x, tf.strings.length(key)], 4", "I120"),
    "shared": ("shuffle=False", 'shuffle=False, shared_name="q"', "I120"),
    "shapes": ("[x], 4", "[x], 4, shapes=[[]]", "I120"),
    "compressed": (
        "tf.TextLineReader()",
        'tf.TFRecordReader(options=tf.python_io.TFRecordOptions("GZIP"))',
        "I120",
    ),
    "hop": (
        "tf.TextLineReader()",
        "tf.FixedLengthRecordReader(4, hop_bytes=2)",
        "I120",
    ),
    "not alike": (BATCH, "batch = tf.train.batch_join([[x], [2 * x]], 4)\n", "I120"),
    "in a loop": (BATCH, "for _ in range(2):\n    " + BATCH, "I120"),
    "list or dict": (
        BATCH,
        "tensors = some_function(x)\nbatch = tf.train.batch(tensors, 4)\n",
        "I120",
    ),
    "another meaning": (
        READ,
        "x = 3\n" + READ + "line = tf.string_join([line, str(x)])\n",
        "I120",
    ),
    "bound again": (
        BATCH,
        "k = 2.0\nx = x * k\nk = 3.0\nbatch = tf.train.batch([x], 4)\n",
        "I120",
    ),
    "drawn elsewhere too": (
        BATCH,
        "noise = tf.random_normal([])\nx += noise\n"
        + BATCH
        + "batch = batch + noise\n",
        "I120",
    ),
    "unpacked otherwise": (READ, "both = reader.read(queue)\nline = both[1]\n", "I120"),
    "of a parameter": (
        BATCH,
        "batched = lambda x: tf.train.batch([x], 4)\nbatch = batched(x)\n",
        "I120",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    old, new, code = REFUSED[name]
    text = _with(old, new)
    codes = _codes(text, Outcome.REFUSED)
    assert code in codes and "I120" in codes
    left = [
        line
        for line in migrate_text(text).text.splitlines()
        if not line.strip().startswith("# TODO(tf1to2)")
    ]
    assert left == text.splitlines()  # The program is left as it is, whole.


STARTED = "    threads = tf.train.start_queue_runners(sess)\n"
HELPERS = """def stop(coord, given):
    coord.join(given, stop_grace_period_secs=3)


def start(sess):
    return tf.train.start_queue_runners(sess)


"""
# What the program does with its threads -> whether an empty list does the same.
USES_OF_THREADS = {
    "coord.join(threads)": True,
    "coord.join(threads=threads + [])": True,
    "stop(coord, threads)": True,
    "stop(coord, given=threads)": True,
    "coord.join(start(sess))": True,
    "kept = list()\n    kept += threads\n    kept.extend(threads)\n    coord.join(kept)": True,
    "for t in threads:\n        t.join()": True,
    "print(len(threads))": False,
    "more = threads\n    print(more)": False,
    "stop(len(threads), [])": False,
    "for t in threads:\n        print(t.name)": False,
    "if threads:\n        print('filled')": False,
    "print(start(sess)[0])": False,
    "unknown.stop(threads)": False,
}


@pytest.mark.parametrize("use", USES_OF_THREADS)
def test_threads_that_are_not_only_joined_are_refused_at_that_line(use: str) -> None:
    text = _with(STARTED, f"{STARTED}    coord = tf.train.Coordinator()\n    {use}\n")
    text = text.replace("queue =", f"{HELPERS}queue =", 1)
    found = [f for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED]
    empty = [f for f in found if "list of threads would be empty" in f.reason]
    assert bool(empty) is not USES_OF_THREADS[use], found
    if empty:
        shown = text.splitlines()[empty[0].line - 1]
        assert any(shown.strip() in line for line in use.split("\n"))


TOLD = {
    "in order": ("", "", {"I131"}),
    "unseeded": (", shuffle=False", "", {"I131", "I112"}),
    "seeded": ("shuffle=False", "seed=3", {"I131"}),
    "one file": ('["a", "b"], shuffle=False', '["a"]', {"I131"}),
    "threads": ("[x], 4", "[x], 4, num_threads=2", {"I131", "I112"}),
    "shuffled": (
        "tf.train.batch([x], 4)",
        "tf.train.shuffle_batch([x], 4, 40, 20, seed=1)",
        {"I131", "I112"},
    ),
    "joined": (
        "tf.train.batch([x], 4)",
        "tf.train.batch_join([[x]], 4)",
        {"I131", "I112"},
    ),
    "epochs": ("shuffle=False", "2, shuffle=False", {"I131"}),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name: str) -> None:
    old, new, codes = TOLD[name]
    text = _with(old, new) if old else PROGRAM
    assert not _codes(text, Outcome.REFUSED)
    found = _codes(text, Outcome.REWRITTEN)
    assert {c for c in found if c.startswith("I1")} == codes


def test_epochs_that_are_initialised_need_no_word() -> None:
    # Else its count of epochs would have been a variable that is not initialised.
    silent = _with("shuffle=False", "2, shuffle=False")
    text = silent.replace(
        "    threads", "    sess.run(tf.local_variables_initializer())\n    threads"
    )
    for program, told in ((silent, True), (text, False)):
        found = [f for f in migrate_text(program).findings if f.code == "I131"]
        assert any("TensorFlow 1 counted epochs" in f.reason for f in found) == told


ITERATORS = """\
import tensorflow as tf

{functions}
w = tf.Variable(1.0)
loss = x * w
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss), sess.run(loss))
"""
DATASET = "tf.data.Dataset.from_tensor_slices([1.0, 2.0])"


def test_an_element_taken_in_a_function_is_brought_to_the_session() -> None:
    text = ITERATORS.format(
        functions=f"def inputs():\n    dataset = {DATASET}\n"
        "    return dataset.make_one_shot_iterator().get_next()\n\nx = inputs()"
    )
    assert not _codes(text, Outcome.REFUSED)
    new = migrate_text(text).text
    assert "iterator = iter(inputs_dataset)\n" in new
    assert new.count("iterator.get_next()") == 2  # An element for each run.


@pytest.mark.parametrize(
    "functions",
    [
        "class Input(Base):\n    def read(self):\n"
        f"        return {DATASET}.make_one_shot_iterator().get_next()\n\n"
        "x = Input().read()",
        "import functools\n@functools.lru_cache()\ndef inputs():\n"
        f"    return {DATASET}.make_one_shot_iterator().get_next()\n\nx = inputs()",
        "import functools\n@functools.lru_cache()\ndef take(iterator):\n"
        "    return iterator.get_next()\n\n"
        f"x = take({DATASET}.make_one_shot_iterator())",
    ],
)
def test_an_iterator_that_stays_in_a_function_is_refused(functions: str) -> None:
    text = ITERATORS.format(functions=functions)
    assert "I101" in _codes(text, Outcome.REFUSED)


def test_an_element_of_a_branch_alone_is_refused() -> None:
    text = ITERATORS.format(
        functions=f"x = tf.constant(3.0)\nif x.shape.rank == 0:\n"
        f"    x = {DATASET}.make_one_shot_iterator().get_next()"
    )
    assert "I101" in _codes(text, Outcome.REFUSED)


def test_an_element_of_every_branch_is_taken_after_them() -> None:
    text = ITERATORS.format(
        functions="import sys\nif sys.argv[1] == '1':\n"
        f"    x = {DATASET}.make_one_shot_iterator().get_next()\n"
        "elif sys.argv[1] == '2':\n"
        f"    x = {DATASET}.repeat().make_one_shot_iterator().get_next()\n"
        "else:\n"
        f"    x = tf.data.make_one_shot_iterator({DATASET}).get_next()"
    )
    assert not _codes(text, Outcome.REFUSED)
    new = migrate_text(text).text
    assert new.count("    dataset = tf.data.Dataset") == 3
    assert "iter(dataset)" in new


def test_iterators_of_one_dataset_begin_the_same_order() -> None:
    """As workers' processes did: each shuffles by the seed, from its beginning."""
    program = textwrap.dedent(
        """
        import tensorflow as tf
        data = tf.data.Dataset
        rows = data.from_tensors(tf.range(9)).repeat(3)
        rows = rows.map(lambda r: tf.random.shuffle(r, seed=7)).unbatch()
        orders = [[int(x) for x in rows] for _ in range(2)]
        assert orders[0] == orders[1], orders
        assert orders[0][:9] != orders[0][9:18]
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


THREADS = """\
examples = []
for _ in range(2):
    y = 2 * x
    examples.append([y])
batch = tf.train.batch_join(examples, 4)
"""


def _threads(old: str, new: str) -> str:
    assert old in THREADS and BATCH in PROGRAM
    return PROGRAM.replace(BATCH, THREADS.replace(old, new))


def test_a_list_that_a_loop_fills_is_one_thread() -> None:
    text = _threads("2 * x", "2 * x")
    assert not _codes(text, Outcome.REFUSED)
    assert "I112" in _codes(text, Outcome.REWRITTEN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for _ in", "for i in range(2):\n    print(i)\nfor i in"),
        ("2 * x", "_ * x"),
        ("    examples.append", "    x += 1.0\n    examples.append"),
        ("    examples.append([y])\n", "    examples.append([y])\n    print(y)\n"),
        ("batch = ", "y = x\nbatch = "),
        ("batch = ", "examples.append([x])\nbatch = "),
    ],
)
def test_threads_that_are_not_alike(old: str, new: str) -> None:
    text = _threads(old, new)
    refused = _codes(text, Outcome.REFUSED)
    assert bool(refused) is (old != "for _ in")
