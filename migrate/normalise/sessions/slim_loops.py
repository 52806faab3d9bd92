"""TF1 to TF1: slim's training loop as a monitored session and a loop.

    slim.learning.train(train_op, logdir, number_of_steps=1000)

restores, runs the training operation until the global step is there, saves and writes
summaries by the clock, and saves when it ends. So does a MonitoredTrainingSession with a
loop. Calls with sessions, steps or savers of their own are left.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

_TRAIN = "tf.contrib.slim.learning.train"
_PARAMETERS = (
    *("train_op", "logdir", "train_step_fn", "train_step_kwargs"),
    *("log_every_n_steps", "graph", "master", "is_chief", "global_step"),
    *("number_of_steps", "init_op", "init_feed_dict", "local_init_op", "init_fn"),
    *("ready_op", "summary_op", "save_summaries_secs", "summary_writer"),
    *("startup_delay_steps", "saver", "save_interval_secs", "sync_optimizer"),
    *("session_config", "session_wrapper", "trace_every_n_steps"),
    "ignore_live_threads",
)
_READ = frozenset(
    {"train_op", "logdir", "log_every_n_steps", "master", "is_chief"}
    | {"number_of_steps", "save_summaries_secs", "save_interval_secs"}
    | {"session_config"}
)


def opens(source: str) -> bool:
    """Whether a text may run its graph by slim's loop."""
    return "learning.train(" in source


def write_out_loop(text: Text) -> Text:
    """The text with the loop written out, or the same text if it is not clear."""
    if not opens(text.source):
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    tf = next(
        (
            n
            for n in scopes.module.bindings
            if scopes.find_imported_path(n) == "tensorflow"
        ),
        None,
    )
    found = [
        statement
        for statement in walk_breadth_first(tree)
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and scopes.resolve(statement.value.func) == _TRAIN
    ]
    taken = find_plain_names(tree)
    if len(found) != 1 or tf is None or not text.is_alone(found[0]) or "sess" in taken:
        return text
    statement = found[0]
    assert isinstance(statement.value, ast.Call)
    bound = names.bind_arguments(statement.value, _PARAMETERS)
    lines = _write_lines(bound, tf) if bound else None
    if lines is None:
        return text
    indent = text.lines[statement.lineno - 1][: statement.col_offset]
    unit = indent if 0 < len(indent) <= 4 else "    "
    origin = text.origins[statement.lineno - 1]
    return text.splice(
        statement.lineno,
        statement.end_lineno or statement.lineno,
        [indent + unit * depth + line for depth, line in lines],
        [origin] * len(lines),
    )


def _write_lines(bound: dict[str, ast.expr], tf: str) -> list[tuple[int, str]] | None:
    """Writes each line, with its depth; None if the loop is another one."""
    given = {
        name: value
        for name, value in bound.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    if not given.keys() <= _READ or not {"train_op", "logdir"} <= given.keys():
        return None
    if not isinstance(given["train_op"], ast.Name):
        return None
    spelled = {name: ast.unparse(value) for name, value in given.items()}
    hooks = []
    if "number_of_steps" in spelled:
        steps = spelled["number_of_steps"]
        hooks.append(f"{tf}.train.StopAtStepHook(last_step={steps})")
    every = names.read_literal(given.get("log_every_n_steps", ast.Constant(1)))
    if not isinstance(every, int):
        return None
    if every > 0:
        tensors = f'{{"loss": {spelled["train_op"]}}}'
        hooks.append(f"{tf}.train.LoggingTensorHook({tensors}, every_n_iter={every})")
    arguments = [
        *(f"{n}={spelled[n]}" for n in ("master", "is_chief") if n in spelled),
        f"checkpoint_dir={spelled['logdir']}",
        f"hooks=[{', '.join(hooks)}]",
        f"save_checkpoint_secs={spelled.get('save_interval_secs', '600')}",
        "save_summaries_steps=None",
        f"save_summaries_secs={spelled.get('save_summaries_secs', '600')}",
        *(
            [f"config={spelled['session_config']}"]
            if "session_config" in spelled
            else []
        ),
        "log_step_count_steps=None",
    ]
    opened = f"{tf}.train.MonitoredTrainingSession({', '.join(arguments)})"
    return [
        (0, f"with {opened} as sess:"),
        (1, "while not sess.should_stop():"),
        (2, f"sess.run({spelled['train_op']})"),
    ]
