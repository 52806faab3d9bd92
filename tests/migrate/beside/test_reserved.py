"""Checks that only the used parts of a function or class are written."""

from __future__ import annotations

import ast
import itertools
import pathlib
import subprocess
import sys

import pytest

from migrate import emitted
from migrate.beside import files, reserved
from migrate.beside.arguments import (
    find_arguments_used,
    find_constants,
    find_function,
    put_constant,
)
from migrate.beside.reach import Closure
from migrate.beside.reserved import (
    find_attributes_set,
    find_first_line,
    find_reserved,
    list_reserved_nodes,
    list_statements_for,
)
from migrate.beside.units import read_file

ROOT = pathlib.Path(__file__).parents[3]
HEAD = "import training_session as t\n\n"
ASYNCHRONOUS = "replicas = t.AsynchronousReplicas(strategy, cluster)\n"
SESSION = HEAD + ASYNCHRONOUS + "t.MonitoredTrainingSession(replicas).run(step)\n"
ALONE = """\
import plain_session as t

replicas = t.LocalReplicas(tf.distribute.get_strategy())
replicas.step_function(f)
t.Session(replicas).run(step)
"""
SAVES = SESSION.replace("(replicas)", "(replicas, checkpoint_dir=d)")
# A program, a file, and parts of it: those that are there, and those that are not.
CASES = {
    "nothing": (SESSION, "session", ["def run("], ["fed_by", "beside", "Scaffold"]),
    "hooks": (
        SESSION + "class H(t.SessionRunHook):\n    pass\n",
        "session",
        ["self._hooks = called(self._hooks)", "from .own_hooks import called, fed_by"],
        ["_restore_latest", "beside"],
    ),
    "threads": (
        SESSION + "sess.loop(1, f)\n",
        "session",
        ["self._beside, self._threads", "hooks = () if beside else hooks\n"],
        ["fed_by"],
    ),
    "directory": (
        SAVES,
        "session",
        ["CheckpointSaverHook", "dir=None"],
        ["init_fn(", "_USE_DEFAULT"],
    ),
    "summaries elsewhere": (
        SESSION.replace("(replicas)", "(replicas, summary_dir=d)"),
        "session",
        ["StepCounterHook", "summary_dir=None"],
        ["CheckpointSaverHook", "_listed("],
    ),
    "by place": (
        SESSION.replace("(replicas)", "(replicas, True, d)"),
        "session",
        ["checkpoint_dir=None", "def restore_latest"],
        ["chief_only_hooks"],
    ),
    "any": (
        SESSION.replace("(replicas)", "(replicas, **options)"),
        "session",
        ["checkpoint_dir=None", "chief_only_hooks=None", "scaffold=None"],
        [],
    ),
    "derived": (
        SESSION + "class S(t.MonitoredTrainingSession):\n    pass\n",
        "session",
        ["checkpoint_dir=None", "chief_only_hooks=None"],
        [],
    ),
    "plain saver": (
        HEAD + "t.Saver().restore(sess, path)\n",
        "checkpoints",
        ["def __init__(self, **_):", 'checkpoint files, by variable name."""'],
        ["var_list", "max_to_keep", "reshape", "_choose_entries", "hours", "slices"],
    ),
    "saver that saves": (
        HEAD + "t.Saver().save(sess, path)\n",
        "checkpoints",
        ["self._max_to_keep = 5\n", "self._kept = kept[-self._max_to_keep :]\n"],
        ["_times", "hours", "reshape", "relative", "write_state", "latest_filename="],
    ),
    "saver that keeps one in so many hours": (
        HEAD + "t.Saver(keep_checkpoint_every_n_hours=2).save(sess, path)\n",
        "checkpoints",
        ["if self._times.pop(path, 0) > self._next_permanent", "import time\n"],
        ["reshape"],
    ),
    "a variable of one value": (
        SAVES,
        "checkpoints",
        [
            "            directory, prefix, list(self._kept), latest_filename\n",
            "                value = reader.get_tensor(name)\n",
            '                shape_and_slices=[""] * len(entries),\n',
            "        if _STEP in entries and _STEP not in shapes:\n",
        ],
        ["latest =", "paths =", "read =", "rows =", "uncounted"],
    ),
    "a variable of two values": (
        SAVES + "tf.distribute.experimental.partitioners\nr.hold_part(n, s, rows)\n",
        "checkpoints",
        ["read = reader.get_tensor\n", "read = functools.partial("],
        ["latest =", "paths =", "uncounted"],
    ),
    "a value in the place of a variable": (
        SAVES,
        "session",
        [
            "return self._run_and_recover(self._hooks, step_function, args)\n",
            "replicas.restored(is_chief, self.restore_latest)\n",
            "hook = CheckpointSaverHook(checkpoint_dir, 600, None, self._saver)\n",
        ],
        ["attempt", "restore =", "stopped", "secs ="],
    ),
    "no summaries of the program's own": (
        SAVES,
        "hooks",
        ["_writers[key] = tf.compat.v1.summary.FileWriter(directory)\n"],
        ["SummaryWriter", "make", "if not directory"],
    ),
    "summaries of the program's own": (
        SAVES + "t.SummaryWriter(d)\n",
        "hooks",
        ["_writers[key] = SummaryWriter(directory)\n"],
        ["FileWriter", "make"],
    ),
    "an argument that decides": (
        HEAD + "t.LoggingTensorHook(names, 5)\n",
        "hooks",
        ["every_n_secs=None, at_end=False", "not (at_end and every_n_iter is None"],
        ["formatter", "_at_end"],
    ),
    "an argument in a choice": (
        SAVES,
        "hooks",
        ["Timer(None, every_n_steps)\n", "self._writer = writer_of(output_dir)\n"],
        ["summary_writer", "every_n_secs"],
    ),
    "the same in a choice, given": (
        HEAD + "t.StepCounterHook(5, summary_writer=w)\n",
        "hooks",
        ["self._writer = summary_writer or writer_of(None)\n"],
        ["output_dir"],
    ),
    "an argument of a method": (
        HEAD + "t.Saver().save(sess, path, write_state=False)\n",
        "checkpoints",
        ["write_state=True", "write_state: whether", "            if write_state:\n"],
        ["write_meta_graph"],
    ),
    "an argument by name alone": (
        SESSION + "replicas.run(worker)\n",
        "asynchronous",
        ["def run(self, worker):"],
        ["workers or count"],
    ),
    "the same, given": (
        SESSION + "replicas.run(worker, workers=1)\n",
        "asynchronous",
        ["def run(self, worker, *, workers=None):", "workers: the first", "or count"],
        [],
    ),
    "a docstring without arguments": (
        SESSION + "replicas.recording()\n",
        "replicas",
        ['names."""\n\n        def create', "\n            seeds_begin_anew()\n"],
        ["drawn", "Args:\n          drawn"],
    ),
    "a head": (
        SESSION + "replicas.recording(drawn=True)\n",
        "replicas",
        [
            "            if drawn:\n                seeds_begin_anew()\n",
            "drawn: whether",
        ],
        [],
    ),
    "heads before a return": (
        HEAD + "t.server_config()\n",
        "clusters",
        [
            '    settings.device_count["GPU"] = 1\n'
            "    settings.inter_op_parallelism_threads = max(8, os.cpu_count() or 1)\n"
            "    return settings\n"
        ],
        ["config or settings", "if "],
    ),
    "no layers": (
        SESSION + "import absl.flags, os\n# layers\nreplicas.recording()\n",
        "replicas",
        ["        with tf.variable_creator_scope(create):\n            yield\n"],
        ["layers_take"],
    ),
    "layers": (
        SESSION + "import tf_keras\nreplicas.recording()\n",
        "replicas",
        ["            with layers_take_dtype_of_input():\n                yield\n"],
        [],
    ),
    "perhaps layers": (
        SESSION + "import networks\nreplicas.recording()\n",
        "replicas",
        ["with layers_take_dtype_of_input():"],
        [],
    ),
    "two units": (
        SAVES.replace("Asynchronous", "Synchronous"),
        "session",
        ["def restore_latest"],
        ["_run_and_recover"],
    ),
    "saver": (
        HEAD + "t.Saver(reshape=True).restore(sess, path)\n",
        "checkpoints",
        ["reshape=False", "reshape: whether", "if self._reshapes"],
        ["hours", "relative"],
    ),
    "another name": (
        "from training_session import Saver as S\n\nS(None, True)\n",
        "checkpoints",
        ["reshape=False"],
        [],
    ),
    "handed on": (HEAD + "make(t.Saver)\n", "checkpoints", ["reshape=False"], []),
    "asked for": (
        HEAD + "isinstance(x, t.Saver)\n",
        "checkpoints",
        ["class Saver"],
        ["reshape=False"],
    ),
    "named by a text": (
        HEAD + "t.Saver\ngetattr(t, 'Saver')(reshape=True)\n",
        "checkpoints",
        ["reshape=False"],
        [],
    ),
    "local variables": (
        SESSION + "replicas.recording()\nv1.local_variables_initializer()\n",
        "asynchronous",
        ["parts = self._local\n", "self.local_values = ", "self.every_variable()"],
        ["def recovered", "shards_of"],
    ),
    "no local variables": (
        SESSION + "import collections\nreplicas.recording()\nlocal_step = 0\n",
        "replicas",
        ["        return self.global_variables\n", "return list(self._recorded)\n"],
        ["is_local", "shards_of"],
    ),
    "shards": (
        SAVES + "tf.distribute.experimental.partitioners\nreplicas.recording()\n",
        "checkpoints",
        ["_assign_parts(parts, value)\n", "import numpy as np", "if len(parts) > 1:"],
        [],
    ),
    "no shards": (
        SAVES + "replicas.recording()\n",
        "checkpoints",
        ["            parts[0].assign(value)\n"],
        ["_assign_parts", "import numpy", "if len(parts)"],
    ),
    "several replicas": (
        ALONE.replace("get_strategy", "MirroredStrategy"),
        "plain_session",
        ["def of_replicas", "self._of_first = []", "def merged_summaries"],
        ["keep_initial_values"],
    ),
    "one replica": (
        ALONE,
        "plain_session",
        ["def call(self, step, args)"],
        ["def of_replicas", "_of_first", "def merged_summaries", "def under"],
    ),
    "several replicas of towers": (
        ALONE + "with tf.device(t.tower_devices(2)[0]):\n    pass\n",
        "training_session/step_functions",
        ["self._values = list(map(replicas.of_replicas, local))"],
        ["self._values = [values[0] for values in local]", "def read(self, message)"],
    ),
    "steps of one replica": (
        ALONE,
        "training_session/step_functions",
        ["self._values = [values[0] for", "            return self._values\n"],
        ["of_replicas", "def read(self, message)"],
    ),
    "steps of workers": (
        SESSION + "replicas.step_function(f)\n",
        "step_functions",
        ["            return replicas.returned(self._values)\n", "to_numpy"],
        ["of_replicas"],
    ),
    "steps of tensors": (
        SESSION
        + "replicas.step_function(tf.TensorSpec([], d), tf.TensorSpec([], d))\n",
        "step_functions",
        ["        return tuple(map(convert, self.specs, args))\n"],
        ["convert_structure", "functools", "each"],
    ),
    "steps of a list of tensors": (
        SESSION + "replicas.step_function([tf.TensorSpec([], d)])\n",
        "step_functions",
        ["        each = functools.partial(convert_structure, convert)\n"],
        ["each = convert\n"],
    ),
    "steps of unknown specs": (
        SESSION + "replicas.step_function(*specs)\n",
        "step_functions",
        ["def convert_structure(convert, spec, value)"],
        [],
    ),
    "no summaries": (
        SAVES.replace("=d", "=d, save_summaries_steps=None"),
        "session",
        ["StepCounterHook", "(checkpoint_dir, 600, None, self", "summaries_steps=_"],
        ["SummarySaverHook", "if steps"],
    ),
    "summaries by seconds": (
        SAVES.replace("=d", "=d, save_summaries_steps=None, save_summaries_secs=5"),
        "session",
        ["SummarySaverHook", "n_steps, n_secs = None, _positive(save_summaries_secs)"],
        [],
    ),
    "neither summaries nor speed": (
        SAVES.replace("=d", "=d, save_summaries_steps=None, log_step_count_steps=None"),
        "session",
        ["CheckpointSaverHook"],
        ["SummarySaverHook", "StepCounterHook", "directory = "],
    ),
    "no summaries in one of two": (
        SAVES + "t.MonitoredTrainingSession(replicas, save_summaries_steps=None)\n",
        "session",
        ["SummarySaverHook"],
        [],
    ),
    "an attribute elsewhere": (
        "import estimator_loop\n\nestimator_loop.CheckpointSaverHook(d)\n",
        "estimator_loop/hooks",
        ["own = scaffold.own_saver", "self._has_saver = saver"],
        ["def saves_with"],
    ),
    "steps in step": (
        SAVES.replace("Asynchronous", "Synchronous")
        + "replicas.average(tape.gradient(loss, variables))\n",
        "replicas",
        ["return gradient if gradient is None else gradient * (1.0 / replicas)\n"],
        ["by_contributors", "failed", "ready", "chief", "def ended", "threading"],
    ),
    "sparse gradients in step": (
        SESSION.replace("Asynchronous", "Synchronous")
        + "replicas.average(tape.gradient(tf.gather(w, i), variables))\n",
        "replicas",
        ["return by_contributors(gradient)\n", "def by_contributors("],
        [],
    ),
    "an attribute": (
        SESSION,
        "replicas",
        ["self.failed ="],
        ["_slot_scope", "_counter"],
    ),
    "an attribute of use": (
        SESSION + "replicas.count_in(step)\n",
        "replicas",
        ["self._counter = None", "if self._counter is not None"],
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_program_has_no_use_for_goes(case: str, tmp_path: pathlib.Path) -> None:
    text, name, kept, gone = CASES[case]
    if "/" not in name and name != "plain_session":
        name = f"training_session/{name}"
    found = files.collect_files(text)[f"{name}.py"].decode()
    assert [part for part in kept if part not in found] == []
    assert [part for part in gone if part in found] == []
    # What was written tells what it was written for: the program need not be there.
    files.write(tmp_path, text)
    there = files.find_present(tmp_path)
    assert files.read_written_files(tuple(sorted(there.items()))) == there


def test_one_more_program_adds_statements_and_takes_none() -> None:
    for first, second in ((SESSION, SAVES), (SAVES, SESSION)):
        closure = Closure()
        closure.add_program(second)
        for name, data in files.collect_files(first).items():
            closure.add_file(name, data.decode())
        found = files.render(closure)
        assert found == files.collect_files(first, second)
        assert b"self._run_and_recover" in found["training_session/session.py"]


def test_what_remains_is_as_ruff_wants_it(tmp_path: pathlib.Path) -> None:
    for case, (text, *_) in CASES.items():
        (tmp_path / case).mkdir()
        files.write(tmp_path / case, text)
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "-q"]
    for command in (["check", "--select", "F,E9,I"], ["format", "--check"]):
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, *settings, str(tmp_path)],
            check=True,
        )


def test_files_go_with_what_needs_them() -> None:
    assert "training_session/own_hooks.py" not in files.collect_files(SAVES)
    assert "training_session/checkpoints.py" not in files.collect_files(SESSION)
    assert "training_session/checkpoints.py" in files.collect_files(SAVES)


def test_comments_name_units_that_there_are() -> None:
    """Otherwise a statement would go from every program without a word."""
    number = 0
    for name in sorted(emitted.list_names()):
        marks = [
            line
            for line in emitted.read_marked_source(name).decode().split("\n")
            if line.lstrip().startswith(("# Only for ", "# Head only for "))
        ]
        places = {
            line: one
            for line, one in find_reserved(name).items()
            if any(file for units in one.groups for file, _, _ in units)
        }
        assert len(marks) == sum(len(one.groups) for one in places.values()), name
        tree = read_file(name).tree
        assert {find_first_line(n) for n in list_reserved_nodes(name, tree)} >= set(
            places
        )
        for one in places.values():
            for file, owner, method in itertools.chain(*one.groups):
                if owner in read_file(file).imports:
                    continue
                definition = read_file(file).definitions[owner]
                of, bracket, argument = method.partition("(")
                if bracket:
                    argument = argument[:-1].removesuffix("!=None")
                    assert (of, argument) in definition.arguments, (name, method)
                    # By it one sees on the disk that the argument was given.
                    assert list_statements_for(file, (file, owner, method)), method
                elif method:
                    assert method in definition.methods, (name, method)
        assert b"nly for " not in emitted.read_source(name), name
        number += len(marks)
    assert number > 40


def test_arguments_that_a_class_uses() -> None:
    file = "training_session/checkpoints.py"
    scaffold = read_file(file).definitions["Scaffold"]
    assert {("", "saver"), ("", "init_fn")} == set(scaffold.arguments)
    function = find_function(scaffold.node, "")
    assert find_arguments_used(function, ()) >= {"saver", "init_fn"}


def test_constants_stand_where_they_decide_nothing() -> None:
    def put(body: str) -> str | None:
        text = f"def f(a, b=None, c=5):\n    {body}"
        function = ast.parse(text).body[0]
        assert isinstance(function, ast.FunctionDef)
        for name, value in find_constants(function).items():
            lines = text.split("\n")
            changes = put_constant(function, name, value, lines, ())
            if changes is None:
                return None
            for line, begin, end, new in sorted(changes, reverse=True):
                lines[line] = lines[line][:begin] + new + lines[line][end:]
            text = "\n".join(lines)
            function = ast.parse(text).body[0]
            assert isinstance(function, ast.FunctionDef)
        return text.partition("\n    ")[2]

    assert put("x = b or a") == "x = a"
    assert put("return g(b, key=c)") == "return g(None, key=5)"
    assert put("x, y = c, b") == "x, y = 5, None"
    assert put("if a and c: pass") == "if a: pass"
    assert put("x = c and a") == "x = a"
    for decides in (
        *("if b: pass", "x = a if c else 2", "x = b is None", "x = not b", "b.x"),
        *("x = c or a", "x = b and a", "x = a and c", "x = b or (a if a else 2)"),
        *("b = 2", "x = [c for c in a]", "x = lambda c: c", "x = b or (\n  a)"),
    ):
        text = put(decides)
        assert text is None or text == decides, decides


def test_an_attribute_stays_with_a_variable_that_is_computed_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head = b"class C:\n    def __init__(self, given):\n"
    body = (
        b"        own = given or []\n        self.one = own\n        self.two = given\n"
    )
    monkeypatch.setattr(emitted, "read_source", lambda name: head + body)
    found = reserved.find_attributes_set.__wrapped__("training_session/session.py")
    assert list(found["C"]) == ["two"]


def test_attributes_that_others_may_read_stay() -> None:
    assert find_attributes_set("training_session/replicas.py")
    assert not find_attributes_set("estimator_strategies.py")
    assert not find_attributes_set("estimator_loop/hooks.py")
