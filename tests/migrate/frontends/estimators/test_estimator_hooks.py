"""Hooks of Estimator programs, and iterators that they initialise: what is read, what refused."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_INPUT = """
import tensorflow as tf


def inputs(x, hook, files):
  def input_fn():
    {before}
    x_ = tf.placeholder(tf.float32, x.shape)
    dataset = tf.data.Dataset.from_tensor_slices(x_)
    iterator = dataset.make_initializable_iterator()
    {feeds}
    hook.start = lambda s: s.run(iterator.initializer, {given})
    {after}
    return iterator.get_next()

  return input_fn


e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
"""

_HOOK = """
import tensorflow as tf


class Hook({base}):
  def __init__(self):
    super(Hook, self).__init__({arguments})

  def {method}:
    {body}


e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
"""


def _codes(migration: Migration, outcome: Outcome) -> set[str]:
    return {f.code for f in migration.findings if f.outcome is outcome} - {"N100"}


def _input(
    before: str = "pass",
    feeds: str = "pass",
    given: str = "feed_dict={x_: x}",
    after: str = "pass",
) -> Migration:
    return migrate_text(
        _INPUT.format(before=before, feeds=feeds, given=given, after=after)
    )


def _hook(
    base: str = "tf.train.SessionRunHook",
    arguments: str = "",
    method: str = "after_run(self, run_context, run_values)",
    body: str = "pass",
) -> Migration:
    return migrate_text(
        _HOOK.format(base=base, arguments=arguments, method=method, body=body)
    )


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        ({}, "x"),
        ({"given": "{x_: x}"}, "x"),
        ({"feeds": "fed = {x_: x}", "given": "fed"}, "x"),
        ({"given": "{x_: files['x']}"}, "files['x']"),
        ({"before": "y = x + 1", "given": "{x_: y[0]}"}, "y[0]"),
        ({"given": "{x_: hook.array}"}, "hook.array"),
    ],
)
def test_what_is_fed_stands_in_the_placeholder(
    parts: dict[str, str], value: str
) -> None:
    migration = _input(**parts)
    assert not _codes(migration, Outcome.REFUSED)
    assert f"x_ = estimator_loop.fed({value}, tf.float32, x.shape)" in migration.text
    assert "hook.start = lambda s: s.run(iterator.initializer)" in migration.text
    assert "{x_:" not in migration.text


@pytest.mark.parametrize(
    "parts",
    [
        # It may give something else where the placeholder is.
        {"given": "{x_: read()}"},
        {"given": "{x_: y}", "after": "y = x"},
        {"given": "{x_: y}", "before": "y = x", "after": "y = 2"},
        {"given": "{x_: y}", "before": "if hook: y = x"},
        # Fed twice, or with something else.
        {"after": "hook.stop = lambda s: s.run(iterator.initializer, {x_: 2 * x})"},
        {"after": "hook.again = lambda s: s.run(iterator.initializer, {x_: hook.y})"},
        {"given": "{x_: x, hook.y: 1}"},
        {"feeds": "fed = {x_: x}", "given": "fed", "after": "fed.update(hook.more)"},
    ],
)
def test_what_may_be_something_else_is_refused(parts: dict[str, str]) -> None:
    migration = _input(**parts)
    assert "E114" in _codes(migration, Outcome.REFUSED)
    assert "x_ = tf.placeholder(tf.float32, x.shape)" in migration.text


@pytest.mark.parametrize("package", ["train", "estimator"])
@pytest.mark.parametrize(
    "name", ["LoggingTensorHook", "NanTensorHook", "StepCounterHook", "StopAtStepHook"]
)
def test_a_class_that_overrides_a_hooks_method_has_tf1s(
    package: str, name: str
) -> None:
    migration = _hook(base=f"tf.{package}.{name}", arguments="'loss'")
    assert not _codes(migration, Outcome.REFUSED)
    assert "H110" in _codes(migration, Outcome.REWRITTEN)
    assert f"class Hook(derivable_hooks.{name}):" in migration.text
    assert "derivable_hooks.py" in migration.support


def test_a_class_that_only_gives_arguments_needs_no_other_hook() -> None:
    migration = _hook(
        base="tf.train.StopAtStepHook", arguments="1", method="name(self)"
    )
    assert "class Hook(estimator_loop.StopAtStepHook):" in migration.text
    assert "derivable_hooks.py" not in migration.support


@pytest.mark.parametrize(
    "name", ["CheckpointSaverHook", "ProfilerHook", "SummarySaverHook"]
)
def test_a_hook_whose_methods_would_not_be_called_is_refused(name: str) -> None:
    migration = _hook(base=f"tf.train.{name}", arguments="'dir'")
    assert _codes(migration, Outcome.REFUSED) == {"H122"}


def test_a_hook_that_reads_what_another_class_keeps_is_refused() -> None:
    migration = _hook(
        base="tf.train.CheckpointSaverHook",
        method="name(self)",
        body="return self._timer",
    )
    assert _codes(migration, Outcome.REFUSED) == {"H122"}


@pytest.mark.parametrize(
    "feeds", ["{self.x: 1}", "feed_dict={self.x: 1}", "self.feeds"]
)
def test_a_hook_that_feeds_is_refused_at_the_line(feeds: str) -> None:
    body = f"return tf.train.SessionRunArgs(self.step, {feeds})"
    migration = _hook(method="before_run(self, run_context)", body=body)
    assert _codes(migration, Outcome.REFUSED) == {"H122"}


@pytest.mark.parametrize("feeds", ["None", "{}", "feed_dict=None"])
def test_a_hook_that_feeds_nothing_is_not(feeds: str) -> None:
    body = f"return tf.train.SessionRunArgs(self.step, {feeds})"
    migration = _hook(method="before_run(self, run_context)", body=body)
    assert not _codes(migration, Outcome.REFUSED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "self.rate.load(0.1, run_context.session)",
            "run_context.session.load(self.rate, 0.1)",
        ),
        (
            "self.rate.load(value=0.1, session=run_context.session)",
            "run_context.session.load(self.rate, 0.1)",
        ),
        (
            "s = run_context.session; self.rate.load(0.1, s)",
            "s = run_context.session; s.load(self.rate, 0.1)",
        ),
        ("json.load(run_context)", "json.load(run_context)"),
        (
            "self.writer = tf.summary.FileWriter('a', tf.get_default_graph())",
            "self.writer = training_session.SummaryWriter('a')",
        ),
        (
            "self.writer = tf.summary.FileWriterCache.get('a')",
            "self.writer = training_session.writer_of('a')",
        ),
    ],
)
def test_what_hooks_do_beside_the_step(old: str, new: str) -> None:
    migration = _hook(body=old)
    assert not _codes(migration, Outcome.REFUSED)
    assert f"    {new}\n" in migration.text


def test_a_writer_with_more_than_a_directory_is_refused() -> None:
    migration = _hook(body="self.w = tf.summary.FileWriter('a', flush_secs=2)")
    assert _codes(migration, Outcome.REFUSED) == {"N150"}


def test_a_placeholder_in_a_model_fn_says_what_to_do() -> None:
    migration = migrate_text(
        "import tensorflow as tf\n\n\n"
        "def model_fn(features, mode):\n"
        "  x = tf.placeholder(tf.float32)\n"
        "  return tf.estimator.EstimatorSpec(mode)\n\n\n"
        "e = tf.estimator.Estimator(model_fn)\n"
    )
    (found,) = (f for f in migration.findings if f.code == "E114")
    assert "variable.load" in found.recipe


_UPDATE = """
import tensorflow as tf


class Hook(tf.train.SessionRunHook):
  def __init__(self, rate):
    self.rate, self.value = rate, 2
    self.update = None

  def begin(self):
    {begin}

  def after_run(self, run_context, run_values):
    {after}


e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
"""


@pytest.mark.parametrize(
    ("begin", "after", "new"),
    [
        (
            "self.update = tf.assign(self.rate, 0.5)",
            "run_context.session.run(self.update)",
            "run_context.session.load(self.rate, 0.5)",
        ),
        (
            "self.update = self.rate.assign(True)",
            "s = run_context.session; s.run(self.update)",
            "s.load(self.rate, True)",
        ),
        (
            "self.new = tf.placeholder(tf.float32)\n"
            "    self.update = tf.assign(self.rate, self.new)",
            "run_context.session.run(self.update, {self.new: self.value / 2})",
            "run_context.session.load(self.rate, self.value / 2)",
        ),
    ],
)
def test_an_assignment_is_made_where_it_was_run(
    begin: str, after: str, new: str
) -> None:
    migration = migrate_text(_UPDATE.format(begin=begin, after=after))
    assert not _codes(migration, Outcome.REFUSED)
    assert "H110" in _codes(migration, Outcome.REWRITTEN)
    assert new in migration.text
    assert "placeholder" not in migration.text
    assert ".assign(" not in migration.text


@pytest.mark.parametrize(
    ("begin", "after"),
    [
        # What it gives is looked at, or it is fetched with the step.
        ("self.update = self.rate.assign_add(1)", "pass"),
        (
            "self.update = tf.assign(self.rate, 1.0)",
            "x = run_context.session.run(self.update)",
        ),
        ("self.update = tf.assign(self.rate, 1.0)", "return self.update"),
        # It is not known what is assigned, or to what.
        (
            "self.update = tf.assign(self.rate, self.value)",
            "run_context.session.run(self.update)",
        ),
        (
            "v = self.rate; self.update = tf.assign(v, 1.0)",
            "run_context.session.run(self.update)",
        ),
        (
            "self.update = tf.assign(self.rate, 1.0); self.update = self.rate",
            "run_context.session.run(self.update)",
        ),
        (
            "self.update = tf.assign(self.rate, 1.0)",
            "run_context.session.run([self.update, self.rate])",
        ),
    ],
)
def test_another_update_of_a_hook_is_refused(begin: str, after: str) -> None:
    migration = migrate_text(_UPDATE.format(begin=begin, after=after))
    assert "H122" in _codes(migration, Outcome.REFUSED)


_AT_END = """\
import tensorflow as tf


class Logs(tf.train.LoggingTensorHook):
    def after_run(self, run_context, run_values):
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            print(session.run(self._current_tensors))


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, predictions=features)
"""


def test_values_that_are_logged_at_the_end_are_the_last_steps() -> None:
    migration = migrate_text(_AT_END)
    assert "            print(self.values_at_end())\n" in migration.text
    assert any(f.code == "H110" and f.line == 10 for f in migration.findings)


@pytest.mark.parametrize(
    "change",
    [
        ("self._current_tensors)", "self._tensors)"),
        ("    def after_run(", "    def before_run(self, c):\n        pass\n\n    def after_run("),
        ("def end(", "def after_create_session("),
        ("LoggingTensorHook", "SessionRunHook"),
    ],
)  # fmt: skip
def test_other_runs_at_the_end_are_refused(change: tuple[str, str]) -> None:
    migration = migrate_text(_AT_END.replace(*change))
    assert any(f.code == "H122" for f in migration.findings)
