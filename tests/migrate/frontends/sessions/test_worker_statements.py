"""Checks code that depends on the task: one step function serves all workers."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text

PROGRAM = """
import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("job_name", "worker", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
FLAGS = tf.app.flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({{
        "ps": ["localhost:2222"],
        "worker": ["localhost:2223", "localhost:2224"]}})
    server = tf.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        global_step = tf.train.get_or_create_global_step()
        rate = 0.1
        optimizer = tf.train.GradientDescentOptimizer(rate)
{0}
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief) as sess:
        for i in range(10):
            _, value = sess.run([train_op, loss], {{x: np.ones([4, 2])}})
            print(i, value)


if __name__ == "__main__":
    tf.app.run()
"""

SAME = "train_op = optimizer.minimize(loss, global_step)"
OF_THE_TASK = {
    "the loss": """
        if is_chief:
            loss = loss * 2.0
        train_op = optimizer.minimize(loss, global_step)
    """,
    "the loss, so often": """
        for _ in range(FLAGS.task_index):
            loss = loss * 2.0
        train_op = optimizer.minimize(loss, global_step)
    """,
    "the gradients": """
        gradients = optimizer.compute_gradients(loss)
        if is_chief:
            gradients = [(tf.zeros_like(g), v) for g, v in gradients]
        train_op = optimizer.apply_gradients(gradients, global_step)
    """,
    "whether there is an update": """
        if is_chief:
            train_op = tf.no_op()
        else:
            train_op = optimizer.minimize(loss, global_step)
    """,
    "the optimizer": """
        if is_chief:
            optimizer = tf.train.AdamOptimizer(0.1)
        train_op = optimizer.minimize(loss, global_step)
    """,
    "the learning rate": """
        rate = 0.1 / (FLAGS.task_index + 1)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train_op = optimizer.minimize(loss, global_step)
    """,
    "the names of variables": """
        with tf.variable_scope("local_%d" % FLAGS.task_index):
            own = tf.get_variable("own", [])
        train_op = optimizer.minimize(loss + own, global_step)
    """,
    "what is fetched": """
        index = tf.constant(FLAGS.task_index)
        loss = [loss, index]
        train_op = optimizer.minimize(loss[0], global_step)
    """,
    "a default": """
        scale = tf.placeholder_with_default(float(FLAGS.task_index), [])
        train_op = optimizer.minimize(loss * scale, global_step)
    """,
    "by another name": """
        rate = 0.1 / (1 + server.server_def.task_index)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train_op = optimizer.minimize(loss, global_step)
    """,
    "by getattr": """
        train_op = optimizer.minimize(loss * getattr(FLAGS, "task_index"), global_step)
    """,
    "in a loop that asks otherwise": """
        train_op = optimizer.minimize(loss, global_step)
        if server.server_def.task_index == 0:
            print("the chief")
    """,
    "a constant": """
        rate = tf.constant(0.1) / (FLAGS.task_index + 1)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train_op = optimizer.minimize(loss, global_step)
    """,
}


def _refused(graph: str, functions: str = "") -> dict[str, int]:
    text = PROGRAM.format(textwrap.indent(textwrap.dedent(graph), " " * 8))
    text = text.replace("def main", functions + "def main", 1)
    return {
        f.code: f.line
        for f in migrate_text(text).findings
        if f.outcome.name == "REFUSED"
    }


@pytest.mark.parametrize("graph", OF_THE_TASK.values(), ids=OF_THE_TASK)
def test_a_step_that_depends_on_the_task_is_refused(graph: str) -> None:
    """TF1 built a graph in each task; the coordinator's would stand for all of them."""
    assert "C107" in _refused(graph)


MADE_BY_THE_CHIEF = {
    "or None": """
        if is_chief:
            merged = tf.summary.merge_all()
        else:
            merged = None
    """,
    "or None, in an expression": """
        merged = tf.summary.merge_all() if is_chief else None
    """,
    "or nothing": """
        if is_chief:
            merged = tf.summary.merge_all()
    """,
    "after None": """
        merged = None
        if is_chief:
            merged = tf.summary.merge_all()
    """,
    "in the other branch": """
        if not is_chief:
            merged = None
        else:
            merged = tf.summary.merge_all()
    """,
    "by the index itself": """
        if FLAGS.task_index > 0:
            merged = None
        else:
            merged = tf.summary.merge_all()
    """,
    "with other summaries": """
        if is_chief:
            tf.summary.histogram("w", w)
            merged = tf.summary.merge_all()
    """,
    "another tensor": """
        merged = tf.identity(loss) if is_chief else None
    """,
    "beside plain Python": """
        if is_chief:
            print("the chief")
            # The summaries.
            merged = tf.summary.merge_all()
        else:
            print("not the chief")
            merged = None
    """,
    "beside plain Python of the others": """
        if is_chief:
            merged = tf.summary.merge_all()
        else:
            print("not the chief")
    """,
}
# How the loop runs it, and whether the other tasks cannot notice that they have it.
RUNS = {
    "by the chief": ("if is_chief:\n    print(sess.run(merged, FEED))", True),
    "by the chief at times": (
        "if is_chief and i % 2 == 0:\n    print(sess.run(merged, FEED))",
        True,
    ),
    "by another test for the chief": (
        "if FLAGS.task_index == 0:\n    print(sess.run(merged, FEED))",
        True,
    ),
    "by all": ("print(sess.run(merged, FEED))", False),
    "by others": ("if not is_chief:\n    print(sess.run(merged, FEED))", False),
    "shown by all": (
        "print(merged)\nif is_chief:\n    print(sess.run(merged, FEED))",
        False,
    ),
}


def _write_made(graph: str, runs: str) -> str:
    graph = f'tf.summary.scalar("loss", loss)\n{textwrap.dedent(graph)}{SAME}'
    text = PROGRAM.format(textwrap.indent(graph, " " * 8))
    runs = textwrap.indent(runs.replace("FEED", "{x: np.ones([4, 2])}"), " " * 12)
    return text.replace("            print(i, value)\n", runs + "\n")


@pytest.mark.parametrize("graph", MADE_BY_THE_CHIEF.values(), ids=MADE_BY_THE_CHIEF)
def test_what_only_the_chief_makes_and_runs_is_made_for_all(graph: str) -> None:
    result = migrate_text(_write_made(graph, RUNS["by the chief"][0]))
    assert not [f for f in result.findings if f.outcome.name == "REFUSED"]
    assert "merged = None" not in result.text
    steps = result.text.partition("def run_worker(task_index):")[0]
    said = 'print("not the chief")'
    assert result.text.count(said) == graph.count(said)
    assert said in graph or "if is_chief" not in steps


@pytest.mark.parametrize(("runs", "migrated"), RUNS.values(), ids=RUNS)
def test_what_other_tasks_could_notice_is_refused(runs: str, migrated: bool) -> None:
    text = _write_made(MADE_BY_THE_CHIEF["or None"], runs)
    found = [f for f in migrate_text(text).findings if f.outcome.name == "REFUSED"]
    assert ("C107" in {f.code for f in found}) is not migrated
    assert migrated is not bool(found)


def test_a_summary_of_the_chief_is_in_no_merge_of_all() -> None:
    more = """
        if is_chief:
            tf.summary.scalar("more", 2.0 * loss)
        merged = tf.summary.merge_all()
    """
    text = _write_made(more, RUNS["by all"][0])
    found = [f for f in migrate_text(text).findings if f.code == "C107"]
    assert "by this test some tasks make other tensors" in found[0].reason


SYNCHRONOUS = """
        optimizer = tf.train.{0}
        optimizer = tf.train.SyncReplicasOptimizer(
            optimizer, replicas_to_aggregate=2, total_num_replicas=2)
        {1}
        train_op = optimizer.minimize(loss, global_step, {2})
"""


@pytest.mark.parametrize(
    ("optimizer", "loss", "variables", "refused"),
    [
        ("GradientDescentOptimizer(0.1)", "", "[w]", False),
        (
            "GradientDescentOptimizer(0.1)",
            "loss = loss * FLAGS.task_index",
            "[w]",
            False,
        ),
        ("GradientDescentOptimizer(0.1 * FLAGS.task_index)", "", "[w]", True),
        ("GradientDescentOptimizer(0.1)", "", "[w] if is_chief else [w, w]", True),
    ],
)
def test_synchronous_workers_make_the_same_update(
    optimizer: str, loss: str, variables: str, refused: bool
) -> None:
    """Each keeps the variables; TF1 had one, which the chief's operation updated."""
    found = _refused(SYNCHRONOUS.format(optimizer, loss, variables))
    assert ("C107" in found) is refused
    assert refused or not found


OLD_SYNCHRONOUS = """
optimizer = tf.train.SyncReplicasOptimizer(
    {0}, replicas_to_aggregate={1}, replica_id=FLAGS.task_index, total_num_replicas=2)
"""


@pytest.mark.parametrize("chosen", [False, True], ids=["always", "by a flag"])
@pytest.mark.parametrize(
    ("optimizer", "aggregated", "refused"),
    [
        ("optimizer", "2", False),
        ("optimizer", "2 + FLAGS.task_index", True),
        ("tf.train.AdamOptimizer(0.1 * FLAGS.task_index)", "2", True),
    ],
)
def test_the_number_of_a_replica_decides_nothing(
    optimizer: str, aggregated: str, refused: bool, chosen: bool
) -> None:
    """TensorFlow 0.12 was told it; programs of that time still choose by a flag."""
    graph = OLD_SYNCHRONOUS.format(optimizer, aggregated)
    if chosen:
        graph = "if FLAGS.sync:" + textwrap.indent(graph, "    ")
    flag = 'tf.app.flags.DEFINE_boolean("sync", False, "")\n\n\n'
    found = _refused(graph + SAME, flag)
    assert ("C107" in found) is refused
    assert refused or not found


GLOBAL = "IS_CHIEF = FLAGS.task_index == 0\n\n\n"
SAY = "def say(value):\n    if IS_CHIEF:\n        print(value)\n\n\n"
BRANCH = (
    "if FLAGS.task_index == 0:\n    IS_CHIEF = True\nelse:\n    IS_CHIEF = False\n\n\n"
)


def test_each_loop_has_its_own_globals_by_the_task() -> None:
    """The coordinator's `IS_CHIEF` would make all workers save checkpoints."""
    text = PROGRAM.format("        " + SAME).replace(
        "is_chief=is_chief", "is_chief=IS_CHIEF"
    )
    new = migrate_text(text.replace("def main", GLOBAL + "def main")).text
    loop = new.partition("def run_worker(task_index):")[2]
    assert "IS_CHIEF = task_index == 0" in loop
    assert GLOBAL.strip() in new.replace(loop, "")


@pytest.mark.parametrize(
    ("functions", "old", "new"),
    [
        (BRANCH, "is_chief=is_chief", "is_chief=IS_CHIEF"),
        (GLOBAL + SAY, "print(i, value)", "say(value)"),
        (GLOBAL, SAME, "loss = 2.0 * loss if IS_CHIEF else loss\n        " + SAME),
    ],
    ids=["set in a branch", "read by a function", "read by the step"],
)
def test_globals_by_the_task_that_no_loop_can_have_are_refused(
    functions: str, old: str, new: str
) -> None:
    text = PROGRAM.format("        " + SAME).replace("def main", functions + "def main")
    assert text.count(old) == 1
    found = [f for f in migrate_text(text.replace(old, new)).findings]
    assert "C107" in {f.code for f in found if f.outcome.name == "REFUSED"}


SHIFTED = PROGRAM.format("        " + SAME).replace("np.ones([4, 2])", "shift + 0.0")
START = 'if __name__ == "__main__":\n'


def _start(main: str, before: str = "") -> str:
    """The program, whose loop feeds `shift`, with other code at its end."""
    head = SHIFTED.partition(START)[0]
    return head.replace("def main", before + "def main", 1) + textwrap.dedent(main)


def _refuse_c107(text: str) -> bool:
    """Whether a program is refused for what its loops read, and for nothing else."""
    found = [f for f in migrate_text(text).findings if f.outcome.name == "REFUSED"]
    assert {f.code for f in found} <= {"C107", "N100"}
    return bool(found)


def test_each_loop_has_its_own_globals_of_the_main_block() -> None:
    """The coordinator's `shift` would be fed by all workers."""
    shift = "shift = 10.0 * FLAGS.task_index"
    new = migrate_text(_start(f"{START}    {shift}\n    tf.app.run()\n")).text
    loop = new.partition("def run_worker(task_index):")[2]
    assert "        shift = 10.0 * task_index\n" in loop
    assert f"    {shift}\n" in new.partition(START)[2]


def test_a_main_block_that_starts_the_driver_asks_for_no_task() -> None:
    """`shift` is the same in all tasks, though the block runs code that asks for one."""
    begin = "def begin(_):\n    main([])\n\n\n"
    text = _start(f"{begin}{START}    shift = 1.0\n    tf.app.run(begin)\n")
    assert not _refuse_c107(text)


SET_BY_THE_TASK = {
    "a branch of the main block": """
        if __name__ == "__main__":
            if FLAGS.task_index == 0:
                shift = 1.0
                main([])
            else:
                shift = 2.0
                main([])
        """,
    "a global statement": """
        def begin(_):
            global shift
            shift = 10.0 * FLAGS.task_index
            main([])


        if __name__ == "__main__":
            tf.app.run(begin)
        """,
}


@pytest.mark.parametrize("main", SET_BY_THE_TASK.values(), ids=SET_BY_THE_TASK)
def test_globals_that_are_set_by_the_task_before_the_driver_are_refused(
    main: str,
) -> None:
    assert _refuse_c107(_start(main))


def test_a_function_of_the_loop_reads_no_global_that_the_driver_sets() -> None:
    get = "def get():\n    return shift + 0.0\n\n\n"
    text = _start(f"{START}    tf.app.run()\n", get)
    text = text.replace("    is_chief =", "    global shift\n    shift = is_chief =")
    assert not _refuse_c107(text)
    assert _refuse_c107(text.replace("{x: shift + 0.0}", "{x: get()}"))


CHANGED_OBJECTS = {
    "an attribute": ("kept.shift = 2.0 * FLAGS.task_index", "kept.shift", True),
    "by setattr": ("setattr(kept, 'shift', FLAGS.task_index)", "kept.shift", True),
    "another attribute": ("kept.a = FLAGS.task_index", "kept.shift", False),
    "an element": ("held['shift'] = FLAGS.task_index", "held['shift']", True),
    "another element": ("held['a'] = FLAGS.task_index", "held['shift']", False),
    "any element": ("held.update(shift=FLAGS.task_index)", "held['shift']", True),
    "under a condition": (
        "if FLAGS.task_index:\n        held['shift'] = 1.0",
        "held['shift']",
        True,
    ),
    "the loop's own": (
        "held = {'shift': FLAGS.task_index}",
        "held['shift']",
        False,
    ),
    "the index itself": (
        "FLAGS.task_index = FLAGS.task_index or 0",
        "FLAGS.task_index",
        False,
    ),
}


@pytest.mark.parametrize("place", ["the main block", "the driver"])
@pytest.mark.parametrize(
    ("change", "read", "refused"), CHANGED_OBJECTS.values(), ids=CHANGED_OBJECTS
)
def test_objects_that_are_changed_by_the_task_are_refused(
    change: str, read: str, refused: bool, place: str
) -> None:
    """The loops of all workers share them, where each process had one."""
    held = "held = {'shift': 1.0}\nkept = argparse.Namespace(shift=1.0)\n\n\n"
    if place == "the driver":
        text = _start(f"{START}    tf.app.run()\n", held)
        text = text.replace("    is_chief =", f"    {change}\n    is_chief =", 1)
    else:
        text = _start(f"{START}    {change}\n    tf.app.run()\n", held)
    text = text.replace("{x: shift + 0.0}", f"{{x: {read} + 0.0}}")
    text = text.replace("import numpy", "import argparse\nimport numpy")
    assert _refuse_c107(text) is refused


STARTED = {
    "an element for each": (
        """
        for i in range(2):
            Process(target=main, args=("worker", i, shifts[i])).start()
        """,
        True,
    ),
    "one for all": (
        """
        for i in range(2):
            Process(target=main, args=("worker", i, shifts)).start()
        """,
        False,
    ),
    "drawn for each": (
        """
        for i in range(2):
            shift = np.random.rand(4, 2)
            Process(target=main, args=("worker", i), kwargs={"shift": shift}).start()
        """,
        True,
    ),
    "through a function": (
        """
        def begin(pool, job, index, shift):
            pool.apply_async(main, (job, index, shift))


        pool = Pool(3)
        begin(pool, "worker", 0, 1.0)
        begin(pool, "worker", 1, 1.0)
        """,
        False,
    ),
    "through a function, by the index": (
        """
        def begin(pool, job, index):
            shift = 2.0 * index
            pool.apply_async(main, (job, index, shift))


        pool = Pool(3)
        begin(pool, "worker", 0)
        begin(pool, "worker", 1)
        """,
        True,
    ),
    "through a function that another file calls": (
        """
        def begin(pool, job, index, shift):
            pool.apply_async(main, (job, index, shift))
        """,
        True,
    ),
    "another written for each": (
        """
        Process(target=main, args=("ps", 0, None)).start()
        Process(target=main, args=("worker", 0, 1.0)).start()
        Process(target=main, args=("worker", 1, 2.0)).start()
        """,
        True,
    ),
    "another for parameter servers": (
        """
        Process(target=main, args=("ps", 0, None)).start()
        Process(target=main, args=("worker", 0, 1.0)).start()
        Process(target=main, args=("worker", 1, 1.0)).start()
        """,
        False,
    ),
    "one process of its own": (
        """
        shift = 1.0
        if FLAGS.job_name == "worker":
            shift = 2.0
        Process(target=main, args=(FLAGS.job_name, FLAGS.task_index, shift)).start()
        """,
        False,
    ),
}


@pytest.mark.parametrize(("main", "refused"), STARTED.values(), ids=STARTED)
def test_a_program_that_starts_its_tasks_gives_all_the_same(
    main: str, refused: bool
) -> None:
    """The coordinator's argument would be used in the loops of all workers."""
    text = _start(main, "shifts = [1.0, 2.0]\n\n\n").replace(
        "def main(_)", "def main(job, index, shift)"
    )
    head, driver, rest = text.partition("def main")
    body, end, tail = rest.partition("print(i, value)")
    body = body.replace("FLAGS.job_name", "job").replace("FLAGS.task_index", "index")
    head = head.replace(
        "import numpy", "from multiprocessing import Pool, Process\nimport numpy"
    )
    assert _refuse_c107(head + driver + body + end + tail) is refused


def test_the_main_block_is_no_choice_of_a_cluster() -> None:
    body = SHIFTED.partition("def main(_):\n")[2].partition("\n\nif __name__")[0]
    head = SHIFTED.partition("def main(_):\n")[0]
    new = migrate_text(f"{head}shift = 1.0\n{START}{body}\n").text
    assert "run_worker" in new
    assert "trains alone" not in new
    assert new.count("__name__") == 1


def test_synchronous_workers_do_not_count_in_copies() -> None:
    """TF1's workers all raised the one variable; each would raise a copy, once a step."""
    graph = SYNCHRONOUS.format("GradientDescentOptimizer(0.1)", "", "[w]")
    counts = graph + "        seen = tf.get_variable('seen', [], trainable=False)\n"
    assert "O111" in _refused(
        counts + "        train_op = tf.group(train_op, tf.assign_add(seen, 1.0))\n"
    )
    assert not _refused(graph)


HELD = {
    "a default value": "def batch(n, state=[0]):\n    state[0] += n\n    return state[0]",
    "a function's attribute": "def batch(n):\n    batch.i += n\n    return batch.i\nbatch.i = 0",
    "a class's": "class Data(object):\n    i = 0\ndef batch(n):\n    Data.i += n\n    return Data.i",
    "a flag": "def batch(n):\n    FLAGS.seen = FLAGS.seen + n\n    return FLAGS.seen",
    "the environment": "import os\ndef batch(n):\n    os.environ['N'] = str(n)\n    return n",
    "a directory": "import os\ndef batch(n):\n    os.chdir('d%d' % n)\n    return n",
}


@pytest.mark.parametrize("function", HELD.values(), ids=HELD)
def test_state_that_a_process_held_is_refused(function: str) -> None:
    text = PROGRAM.format("        " + SAME).replace(
        "def main", f"{function}\n\n\ndef main"
    )
    used = text.replace("np.ones([4, 2])", "batch(4) * np.ones([4, 2])")
    unused = migrate_text(text).findings
    assert not [f for f in unused if f.outcome.name == "REFUSED"]
    found = [f for f in migrate_text(used).findings if f.outcome.name == "REFUSED"]
    assert "C109" in {f.code for f in found}


SCALE = """
def scale({0}):
    return 2.0 if {1} else 1.0


"""


@pytest.mark.parametrize(
    ("used", "parameters", "asked", "refused"),
    [
        ("scale()", "", "FLAGS.task_index == 0", True),
        ("scale(is_chief)", "chief", "chief", True),
        ("scale(True)", "chief", "chief", False),
    ],
)
def test_a_function_of_the_step_that_asks_for_the_task(
    used: str, parameters: str, asked: str, refused: bool
) -> None:
    graph = f"train_op = optimizer.minimize(loss * {used}, global_step)"
    found = _refused(graph, SCALE.format(parameters, asked))
    assert ("C107" in found) is refused
    assert refused or not found


@pytest.mark.parametrize(
    "same",
    [
        SAME,
        SAME + "\nif is_chief:\n    print('I am the chief')",
        SAME + "\nname = 'chief' if is_chief else 'worker'\nprint(name)",
    ],
)
def test_what_the_host_does_by_the_task_is_not(same: str) -> None:
    assert not _refused(same)


@pytest.mark.parametrize(
    "block",
    ["if FLAGS.frozen:", "for _ in range(FLAGS.frozen):", "while FLAGS.frozen:"],
)
def test_an_update_whose_name_is_given_away_in_a_block_is_refused(block: str) -> None:
    """TF1 then trained nothing; a step that trains all the same would be wrong."""
    text = (
        "import tensorflow as tf\n"
        "tf.app.flags.DEFINE_bool('frozen', False, '')\n"
        "FLAGS = tf.app.flags.FLAGS\n"
        "w = tf.Variable(1.0)\n"
        "loss = tf.square(w)\n"
        "train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        f"{block}\n"
        "    train_op = {}\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run([train_op, loss]))\n"
    )
    told = {f.code: f.line for f in migrate_text(text.format("tf.no_op()")).findings}
    assert told["N107"] == 7
    # What is made of the update has it as a part.
    grouped = migrate_text(text.format("tf.group(train_op, w.assign_add(1.0))"))
    assert not [f for f in grouped.findings if "takes its name" in f.reason]
