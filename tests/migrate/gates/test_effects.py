"""The gate of effects: it passes what only was spelled anew, and stops planted faults."""

from __future__ import annotations

import pytest

from migrate.findings import Finding, Outcome
from migrate.gates.effects import Wrong, find_differences

START = """import sys
import random
import numpy as np
import tensorflow as tf
import helpers

rng = np.random.RandomState(0)
"""
PROGRAM = (
    START
    + """
print("begins", tf.__version__)
data = helpers.load("data.csv")
if len(sys.argv) > 2:
    print("only loaded")
    sys.exit(0)
log = open("log", "w")
for step in range(8):
    batch = rng.randn(4, 2)
    noise = rng.rand(4)
    log.write("step %d\\n" % step)
    log.write("noise %r\\n" % noise)
    random.shuffle(data)
    if step % 4 == 0:
        log.flush()
log.close()
print("ends")
"""
)


def wrongs(old: str, new: str, *findings: Finding) -> set[Wrong]:
    return {d.wrong for d in find_differences(old, new, findings)}


def changed(*edits: tuple[str, str], text: str = PROGRAM) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_program_is_itself() -> None:
    assert not find_differences(PROGRAM, PROGRAM)
    assert not find_differences(PROGRAM, f"# A note.\n{PROGRAM}")


LOAD = 'data = helpers.load("data.csv")\n'
EXIT = '    print("only loaded")\n    sys.exit(0)\n'


GUARDED = """import sys
import tensorflow as tf

def main(_):
    print("begins")
    if len(sys.argv) > 2:
        END
    print("goes on")

tf.app.run()
"""
SCOPE = "    with tf.Graph().as_default():\n"


@pytest.mark.parametrize("end", ["sys.exit(0)", "raise SystemExit", "return"])
def test_what_ends_in_a_with_statement_ends_after_it(end: str) -> None:
    text = GUARDED.replace("END", end)
    guard = f"    if len(sys.argv) > 2:\n        {end}\n"
    held = SCOPE + "".join(f"    {line}\n" for line in guard.splitlines())
    inside = changed((guard, held), text=text)
    assert not find_differences(text, inside)
    assert not find_differences(inside, text)
    # The planted fault: the process goes on.
    fault = changed((guard, held.replace(end, "pass")), text=text)
    assert Wrong.CONDITION in wrongs(text, fault)
    last = max(find_differences(text, fault))
    assert last.reason.endswith("no longer depend on the test `len(sys.argv) > 2`")


def test_what_ends_in_the_else_branch_of_a_with_statement_ends_after_it() -> None:
    text = GUARDED.replace("END", "pass\n    else:\n        sys.exit(0)")
    guard = text[text.index("    if len") : text.index('    print("goes')]
    held = SCOPE + "".join(f"    {line}\n" for line in guard.splitlines())
    assert not find_differences(text, changed((guard, held), text=text))


@pytest.mark.parametrize("end", ["sys.exit(0)", "raise ValueError", "raise SystemExit"])
def test_what_ends_in_a_function_may_end_where_it_was_called(end: str) -> None:
    """The function's statements stand in its place, and in their order."""
    begins, goes_on = 'print("begins")\n', 'print("goes on")\n'
    ends = f"    if rng is None:\n        {end}\n"
    text = f"{START}def check():\n{ends}{begins}check()\n{goes_on}"
    held = f"with tf.device('/cpu:0'):\n{ends}"
    assert not find_differences(text, START + begins + held + goes_on)
    assert Wrong.ORDER in wrongs(text, START + held + begins + goes_on)
    assert wrongs(text, START + begins + goes_on) == {Wrong.LOST}
    late = f"{START}def check():\n{ends}{begins}{goes_on}check()\n"
    assert Wrong.ORDER in wrongs(late, START + begins + held + goes_on)


@pytest.mark.parametrize(
    ("edits", "wrong"),
    [
        # A call is dropped, or made twice.
        ([('    log.write("noise %r\\n" % noise)\n', "")], Wrong.LOST),
        ([('print("ends")\n', "")], Wrong.LOST),
        ([(LOAD, "data = []\n")], Wrong.LOST),
        ([("    random.shuffle(data)\n", "")], Wrong.LOST),
        ([(EXIT, '    print("only loaded")\n')], Wrong.LOST),
        ([('print("ends")', 'print("ends")\nprint("ends")')], Wrong.TWICE),
        # A pair is swapped: one file, one generator, unseen code and an end.
        (
            [
                ('log.write("step %d\\n" % step)\n', "SWAP\n"),
                ('log.write("noise %r\\n" % noise)\n', 'log.write("step %d\\n" % step)\n'),
                ("SWAP\n", 'log.write("noise %r\\n" % noise)\n'),
            ],
            Wrong.ORDER,
        ),
        (
            [
                ("    batch = rng.randn(4, 2)\n", ""),
                ("noise = rng.rand(4)\n", "noise = rng.rand(4)\n    batch = rng.randn(4, 2)\n"),
            ],
            Wrong.ORDER,
        ),
        ([(LOAD, ""), ('log = open("log", "w")\n', LOAD + 'log = open("log", "w")\n')], Wrong.ORDER),
        ([(LOAD, ""), ('print("begins"', LOAD + 'print("begins"')], Wrong.ORDER),
        # It runs under other conditions, or in another loop.
        ([("    if step % 4 == 0:\n        log.flush()\n", "    log.flush()\n")], Wrong.CONDITION),
        ([("    random.shuffle(data)\n", "    if step:\n        random.shuffle(data)\n")], Wrong.CONDITION),
        ([('log.close()\nprint("ends")\n', '    log.close()\nprint("ends")\n')], Wrong.CONDITION),
        ([('    log.write("noise %r\\n" % noise)\n', ""), ("log.close()", 'log.write("noise %r\\n" % noise)\nlog.close()')], Wrong.CONDITION),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(edits: list[tuple[str, str]], wrong: Wrong) -> None:
    new = changed(*edits)
    compile(new, "new.py", "exec")
    assert wrong in wrongs(PROGRAM, new)


@pytest.mark.parametrize(
    "edits",
    [
        # Nothing sees whether a batch is drawn before or after a line is written.
        [
            ("    noise = rng.rand(4)\n", ""),
            ('    log.write("noise', '    noise = rng.rand(4)\n    log.write("noise'),
        ],
        # A condition may be spelled anew, and a loop.
        [("if step % 4 == 0:", "if not (step % 4 != 0):")],
        [("for step in range(8):", "step = -1\nwhile step < 7:\n    step += 1")],
        # What computes and no more may go.
        [("tf.__version__", "'2'")],
        # What is in a function that is called there is there.
        [
            (
                'log = open("log", "w")\n',
                'def opened(name):\n    return open(name, "w")\n\nlog = opened("log")\n',
            )
        ],
    ],
)
def test_what_nobody_can_see_is_no_fault(edits: list[tuple[str, str]]) -> None:
    assert not find_differences(PROGRAM, changed(*edits))


def test_a_finding_says_why_a_statement_is_gone() -> None:
    new = changed(('print("ends")\n', ""))
    line = PROGRAM.split("\n").index('print("ends")') + 1
    told = Finding(line, 1, "S114", Outcome.REWRITTEN, "", "dropped: it said no more")
    assert not find_differences(PROGRAM, new, [told])
    elsewhere = Finding(2, 1, "S114", Outcome.REWRITTEN, "", "dropped: it said no more")
    assert wrongs(PROGRAM, new, elsewhere) == {Wrong.LOST}
    renamed = Finding(line, 1, "T102", Outcome.REWRITTEN, "", "tf.math.log")
    assert wrongs(PROGRAM, new, renamed) == {Wrong.LOST}


def test_an_inlined_function_does_what_it_did() -> None:
    """Its copies stand where it was called; one that is missing is found."""
    old = (
        START
        + "def show(x):\n    print('value', x)\n\nprint('a')\nshow(1)\nprint('b')\n"
    )
    body = "print('a')\nprint('value', 1)\nprint('b')\n"
    assert not find_differences(old, START + body)
    moved = "print('a')\nprint('b')\nprint('value', 1)\n"
    assert wrongs(old, START + moved) == {Wrong.ORDER}
    assert wrongs(old, START + "print('a')\nprint('b')\n") == {Wrong.LOST}


CLUSTER = (
    START
    + """
server = tf.train.Server({})
if sys.argv[1] == "ps":
    server.join()
print("builds")
w = tf.Variable(0.0)
with tf.train.MonitoredTrainingSession(server.target) as sess:
    print("trains")
"""
)
SERVED = (
    START
    + """import training_session

server = tf.distribute.Server({})
if sys.argv[1] == "ps":
    server.join()
if sys.argv[2] != "0":
    training_session.serve(server)
replicas = training_session.AsynchronousReplicas(None, None)
print("builds")

def run_worker(task_index):
    with training_session.MonitoredTrainingSession(replicas) as sess:
        print("trains")

replicas.run(run_worker)
"""
)


def test_what_the_coordinator_does_alone_is_told() -> None:
    """All workers run what is given to the replicas; what stands before, worker 0 does."""
    found = find_differences(CLUSTER, SERVED)
    assert [(d.line, d.wrong) for d in found] == [(12, Wrong.SERVED)]
    inside = changed(
        ('print("builds")\n', ""),
        ("        print(", '        print("builds")\n        print('),
        text=SERVED,
    )
    assert not find_differences(CLUSTER, inside)


def test_a_loader_does_not_pass_the_join_of_a_server() -> None:
    """Parameter servers would not load any more."""
    above = changed(("server = tf.train", LOAD + "server = tf.train"), text=CLUSTER)
    below = changed(('print("builds")', LOAD + 'print("builds")'), text=SERVED)
    assert Wrong.CONDITION in wrongs(above, below)


def test_lists_of_tensors_are_the_graphs() -> None:
    old = START + "losses = []\nx = tf.ones([2])\nlosses.append(tf.reduce_sum(x))\n"
    assert not find_differences(old, START + "losses = [tf.reduce_sum(tf.ones([2]))]\n")
    kept = START + "seen = []\nseen.append(float(3))\nprint(seen)\n"
    assert wrongs(kept, START + "seen = []\nprint(seen)\n") == {Wrong.LOST}


def test_a_name_is_not_read_before_it_is_bound() -> None:
    old = "import os\nimport numpy as np\nimport tensorflow as tf\nx = np.ones(3)\n"
    new = "import os\nimport tensorflow as tf\nx = np.ones(3)\nimport numpy as np\n"
    assert [d.reason for d in find_differences(old, new)] == [
        "`np` would be read before it is bound"
    ]
    call = "def f():\n    return np.ones(3)\n\n{}x = f()\n{}"
    line = "import numpy as np\n"
    good, bad = call.format(line, ""), call.format("", line)
    assert not find_differences(good, good + "\n")
    assert wrongs(good, bad) == {Wrong.ORDER}
    assert not find_differences(bad, bad + "\n")  # It was so before.


def test_a_written_module_is_imported_below_the_path() -> None:
    """A moved import: where modules come from is said first."""
    old = "import sys\nsys.path.append('..')\nimport tensorflow as tf\ntf.Session()\n"
    below = "import sys\nsys.path.append('..')\nimport plain_session\nplain_session.Session()\n"
    above = "import sys\nimport plain_session\nsys.path.append('..')\nplain_session.Session()\n"
    assert not find_differences(old, below)
    assert [d.reason for d in find_differences(old, above)] == [
        "`import plain_session` would stand above the change of sys.path"
    ]


SHOWS = "def show(x):\n    print('value', x)\n\n"


@pytest.mark.parametrize(
    "name", ["again = show", "again = lambda x: show(x)", "again: object = show"]
)
def test_a_name_of_a_function_is_the_function(name: str) -> None:
    """It runs where it is called, and where another is given it."""
    old = START + SHOWS + name + "\nprint('a')\nagain(1)\nprint('b')\n"
    assert not find_differences(old, old.replace("again(1)", "tf.py_call(again)"))
    assert not find_differences(old, old.replace("again(1)", "print('value', 1)"))
    late = old.replace("again(1)\n", "") + "again(1)\n"
    assert wrongs(old, late) == {Wrong.ORDER}


HOLDS = """
class Model:
    def __init__(self):
        self.show = lambda x: print('value', x)
        # MORE

    def step(self, x):
        self.show(x)


print('a')
model = Model()
model.step(1)
print('b')
"""


def test_a_lambda_that_an_object_holds_is_the_function() -> None:
    """It runs where a method calls it. An attribute that may hold more is not known."""
    old, call = START + HOLDS, "self.show(x)"
    assert not find_differences(old, old.replace(call, "print('value', x)"))
    assert not find_differences(old, old.replace("model.step(1)", "print('value', 1)"))
    assert wrongs(old, old.replace(call, "pass")) == {Wrong.LOST}
    plain = old.replace("print('value', x)", "x + 1")
    assert not find_differences(plain, plain.replace(call, "pass"))
    for more in (
        "self.show = helpers.show",
        "setattr(self, 'show', helpers.show)",
        "self.show, self.hide = helpers.functions",
    ):
        known = plain.replace("# MORE", more)
        assert Wrong.LOST in wrongs(known, known.replace(call, "pass")), more


def test_a_call_that_is_gone_is_found() -> None:
    """The function is still there, but nothing names it any more."""
    old = START + SHOWS + "print('a')\nshow(1)\n"
    assert wrongs(old, old.replace("show(1)\n", "")) == {Wrong.LOST}
    named = old.replace(SHOWS, "show = lambda x: print('value', x)\n")
    assert named != old
    assert wrongs(named, named.replace("show(1)\n", "")) == {Wrong.LOST}
    unused = START + SHOWS + "print('a')\n"
    assert not find_differences(unused, unused + "# A note.\n")


STEPS = """
def layer(size):
    kept = 'layer %d' % size
    def apply(x):
        {}
        return x * size
    return apply
double = layer(2)
@replicas.step_function(tf.TensorSpec([]))
def train(x):
    return double(x)
@replicas.step_function(tf.TensorSpec([]))
def test(x):
    return {}(x)
print('ends')
"""
GRAPH = """
def layer(x, size):
    kept = 'layer %d' % size
    {}
    return x * size
x = tf.placeholder(tf.float32, [])
double = layer(x, 2)
print('ends')
"""


@pytest.mark.parametrize(
    ("done", "wrong"),
    [
        ("print(x.shape, kept)", {Wrong.TRACED}),
        ("open('shapes', 'w').write(kept)", {Wrong.TWICE}),
        ("seen.append(x)", {Wrong.TWICE}),
        ("z = abs(size)", set()),
    ],
)
def test_what_two_steps_trace_is_done_twice(done: str, wrong: set[Wrong]) -> None:
    """A repeated print is reported; a repeated change of a file or list is a fault."""
    start = START.replace("import helpers", "from plain_session import replicas")
    start += "seen = []\n"
    old = start + GRAPH.format(done)
    assert wrongs(old, start + STEPS.format(done, "double")) == wrong
    once = start + STEPS.format(done, "abs")
    assert wrongs(old, once) == wrong & {Wrong.TRACED}
