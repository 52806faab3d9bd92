"""Rows of the table of effects: each is seen in what the gate says of two programs."""

from __future__ import annotations

import ast

import pytest

from migrate.facts.aliases import Aliases
from migrate.facts.scopes import build_scopes
from migrate.gates.accesses import Access, How
from migrate.gates.callees import Callees
from migrate.gates.effects import Wrong, find_differences
from migrate.gates.implicit_calls import ImplicitCalls
from migrate.gates.sites import Site
from migrate.gates.traces import find_sites, find_trace
from migrate.source.nodes import parse_source

HEAD = """import itertools, random, numpy as np, scipy.special, six, subprocess
import tensorflow as tf
import helpers, mnist_input_data, training_session

data = helpers.load()
"""


def wrongs(old: str, new: str) -> set[Wrong]:
    # With a statement more, the gate does not take them for the same at once.
    return {d.wrong for d in find_differences(HEAD + old, f"{HEAD}{new}more = 1\n")}


def sites(text: str) -> list[Site]:
    return find_sites(build_scopes(parse_source(HEAD + text)), HEAD + text)


def find_changes(text: str) -> list[Access]:
    _, found = find_trace(build_scopes(parse_source(HEAD + text)), HEAD + text)
    return [a for a in found if a.how is How.CHANGE]


# -- what may go, and what may not --------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ("as_list", "has_key", "iteritems", "iterkeys", "itervalues", "tostring"),
)
def test_what_a_method_only_computes_may_go(name: str) -> None:
    assert not wrongs(f"size = data.{name}('a')\n", "size = 1\n")
    assert wrongs("size = data.others('a')\n", "size = 1\n") == {Wrong.LOST}


@pytest.mark.parametrize(
    "call",
    (
        "scipy.special.expit(1)",
        "tf.logging.set_verbosity(tf.logging.INFO)",
    ),
)
def test_what_computes_or_sets_how_much_is_logged_may_go(call: str) -> None:
    assert not wrongs(f"{call}\n", "")


@pytest.mark.parametrize(
    "call", ("tf.python_io.TFRecordWriter('f')", "subprocess.call(['ls'])")
)
def test_what_writes_or_cannot_be_seen_may_not_go(call: str) -> None:
    assert wrongs(f"{call}\n", "") == {Wrong.LOST}


# -- the same by another name -------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    (
        ("tf.gfile.ListDirectory('d')", "tf.io.gfile.listdir('d')"),
        ("tf.gfile.IsDirectory('d')", "tf.io.gfile.isdir('d')"),
        ("tf.gfile.FastGFile('f')", "tf.io.gfile.GFile('f')"),
        ("tf.gfile.Open('f')", "tf.io.gfile.GFile('f')"),
        ("tf.logging.warn('a')", "tf.logging.warning('a')"),
        ("random.shuffle([1])", "training_session.python_random.shuffle([1])"),
        ("np.random.shuffle([1])", "training_session.numpy_random.shuffle([1])"),
    ),
)
def test_an_effect_by_another_name_is_the_same(old: str, new: str) -> None:
    assert not wrongs(f"{old}\n", f"{new}\n")


# -- in which order -----------------------------------------------------------------------


def swap(one: str, other: str) -> set[Wrong]:
    return wrongs(f"{one}\n{other}\n", f"{other}\n{one}\n")


@pytest.mark.parametrize(
    ("one", "other"),
    (
        ("tf.logging.info('a')", "open('f', 'w')"),
        ("tf.gfile.Remove('f')", "tf.logging.info('a')"),
    ),
)
def test_files_and_the_log_do_not_see_one_another(one: str, other: str) -> None:
    assert not swap(one, other)
    assert swap(one, "helpers.save()") == {Wrong.ORDER}


def test_what_shuffles_an_object_is_not_seen_outside() -> None:
    text = "def mix(generator, items):\n    {}\n    {}\n"
    shuffles, shows = "generator.shuffle(items)", "print('a')"
    assert not wrongs(text.format(shuffles, shows), text.format(shows, shuffles))
    other = "generator.others(items)"
    found = wrongs(text.format(other, shows), text.format(shows, other))
    assert found == {Wrong.ORDER}


@pytest.mark.parametrize("method", ("itemset", "next"))
def test_a_method_that_changes_its_object_does(method: str) -> None:
    scopes = build_scopes(parse_source(f"table = make()\ntable.{method}(0, 1.0)\n"))
    followed = Aliases(scopes, {"table"})
    assert [*followed.find_changes(scopes.tree.body[1])] == [method]


# -- under which condition ----------------------------------------------------------------


@pytest.mark.parametrize("job", ("chief", "master", "ps", "worker"))
def test_a_task_of_another_job_need_not_read_data(job: str) -> None:
    read = "images = mnist_input_data.read_data_sets('d')\n"
    assert wrongs(read, f"if job_name == {job!r}:\n    {read}") == {Wrong.SERVED}
    assert wrongs(read, f"if job_name == 'other':\n    {read}") == {Wrong.CONDITION}


@pytest.mark.parametrize(
    "test", ("__name__ == '__main__'", "not session.should_stop()")
)
def test_a_test_that_both_programs_answer_is_no_condition(test: str) -> None:
    assert not wrongs("print('a')\n", f"if {test}:\n    print('a')\n")
    assert wrongs("print('a')\n", "if data:\n    print('a')\n") == {Wrong.CONDITION}


def test_whether_values_were_asked_for_may_be_asked_otherwise() -> None:
    text = "def after_run(self, context, values):\n    if {}:\n        print('a')\n"
    asks = text.format("values.results is not None")
    assert not wrongs(asks, text.format("self.due"))
    other = text.format("values.options is not None")
    assert wrongs(other, text.format("self.due")) == {Wrong.CONDITION}


# -- what is traced, and what runs by itself ----------------------------------------------


@pytest.mark.parametrize(
    ("decorator", "traced"),
    (
        ("tf.function", True),
        ("tf.contrib.eager.defun", True),
        ("training_session.step_function(data)", True),
        ("helpers.function", False),
        ("tf.custom_gradient", False),
    ),
)
def test_what_tensorflow_traces(decorator: str, traced: bool) -> None:
    step = f"@{decorator}\ndef step():\n    found.append(1)\n\n\nstep()\n"
    changes = find_changes("found = []\n" + step)
    assert [a.step is not None for a in changes] == [traced]


@pytest.mark.parametrize(
    ("decorator", "root"),
    (("training_session.step_function(data)", ""), ("helpers.others(data)", "step")),
)
def test_what_is_traced_where_it_is_defined(decorator: str, root: str) -> None:
    found = sites(f"@{decorator}\ndef step():\n    print('a')\n")
    assert [s.root for s in found if s.effect.name == "print"] == [root]


@pytest.mark.parametrize(
    ("decorator", "runs"),
    (
        ("property", True),
        ("functools.cached_property", True),
        ("staticmethod", False),
    ),
)
def test_what_runs_where_an_attribute_is_read(decorator: str, runs: bool) -> None:
    text = f"class Model:\n    @{decorator}\n    def size(self):\n        pass\n\n"
    tree = parse_source(text + "Model().size\n")
    (statement,) = tree.body[1:]
    assert isinstance(statement, ast.Expr)
    found = [*ImplicitCalls(Callees(build_scopes(tree))).run_by(statement.value)]
    assert bool(found) == runs


@pytest.mark.parametrize(
    ("made", "changes"),
    (("itertools.cycle([1])", True), ("helpers.cycle([1])", False)),
)
def test_an_iterator_is_changed_where_it_is_passed_through(
    made: str, changes: bool
) -> None:
    text = f"batches = {made}\nfor batch in batches:\n    pass\n"
    assert bool(find_changes(text)) == changes
