"""TF1 symbols that TF2 still exports but that need a graph and a session.

A reason was measured on TensorFlow 2.21 by calling `tf.compat.v1.X` eagerly, as a
program runs in TF2, for the symbol or for a sibling made of the same code
(`train.batch` for `train.maybe_batch_join`); `tests/migrate/rules/test_symbols.py` measures
a sample again, at least one symbol of nearly every reason. What works
eagerly is not here, among it: `make_template`, `train.Coordinator`,
`train.ExponentialMovingAverage`, `train.get_or_create_global_step`, `train.Saver` with
a variable list, `train.init_from_checkpoint` with variables, `losses.*` but for their
collections, `data.make_one_shot_iterator`, `ConditionalAccumulator`, `FIFOQueue`.
"""

from __future__ import annotations

import dataclasses
import enum


class Effect(enum.Enum):
    """One kind of what an eager call does instead of its work."""

    RAISES = "raises"
    NOTHING = "does nothing"
    EMPTY = "is always empty"
    # The worst kind: the result differs from TF1's.
    WRONG = "means something else"
    HANGS = "waits for ever"


@dataclasses.dataclass(frozen=True)
class GraphOnly:
    """One symbol, or a module or class with everything below it.

    Attributes:
      symbol: the TF1 symbol.
      effect: what an eager call does.
      reason: the same for the user, with the error where there is one; None where
        `unsupported.UNSUPPORTED` has the symbol, whose reason is told.
    """

    symbol: str
    effect: Effect
    reason: str | None


_MONITORED = "builds a Scaffold, which merges summaries: RuntimeError in eager mode"
_QUEUES = "feeds by queue runners, which raise in eager mode ('use tf.data')"
_READER = "readers raise in eager mode ('use tf.data')"
_NO_OP = "eager variables and tables are initialised when made: it returns None"
_COLLECTION = "eager variables are in no collection: it returns an empty list"
_LOSSES = "losses are collected in graphs only"
_HOOK = "is a hook: it works inside a monitored session only, which raises eagerly"
_FEEDING_HOOK = "feeds placeholders of a graph, and the migrated program has none"
_FINAL_HOOK = (
    "runs tensors of a graph after the last step, and the migrated program has no graph"
)
_META = "there is no graph to export or import: RuntimeError in eager mode"


def _make_rows(
    effect: Effect, reason: str | None, *names: str
) -> tuple[GraphOnly, ...]:
    return tuple(GraphOnly(f"tf.{name}", effect, reason) for name in names)


_ROWS = (
    *_make_rows(Effect.RAISES, None, "Session", "InteractiveSession"),
    *_make_rows(Effect.EMPTY, None, "get_default_session"),
    *_make_rows(
        Effect.RAISES,
        "session state does not exist in eager mode: FailedPreconditionError",
        "get_session_handle",
        "get_session_tensor",
        "delete_session_tensor",
    ),
    *_make_rows(
        Effect.RAISES,
        "'not compatible with eager execution': nothing could be fed",
        "placeholder",
        "sparse_placeholder",
        "ragged.placeholder",
    ),
    *_make_rows(Effect.WRONG, None, "placeholder_with_default"),
    *_make_rows(
        Effect.RAISES,
        "'not supported when eager execution is enabled': RuntimeError",
        "feature_column.shared_embedding_columns",
    ),
    *_make_rows(
        Effect.RAISES,
        _MONITORED,
        "train.MonitoredTrainingSession",
        "train.MonitoredSession",
        "train.SingularMonitoredSession",
        "train.ChiefSessionCreator",
        "train.WorkerSessionCreator",
        "train.SessionManager",
    ),
    *_make_rows(Effect.RAISES, "its finalize() " + _MONITORED, "train.Scaffold"),
    *_make_rows(
        Effect.RAISES,
        "'Supervisors are incompatible with eager execution'",
        "train.Supervisor",
        "train.basic_train_loop",
    ),
    *_make_rows(Effect.HANGS, None, "train.SyncReplicasOptimizer"),
    *_make_rows(
        Effect.RAISES,
        _QUEUES,
        "train.QueueRunner",
        "train.start_queue_runners",
        "train.queue_runner",
        "train.input_producer",
        "train.range_input_producer",
        "train.slice_input_producer",
        "train.string_input_producer",
        "train.batch",
        "train.batch_join",
        "train.maybe_batch",
        "train.maybe_batch_join",
        "train.maybe_shuffle_batch",
        "train.maybe_shuffle_batch_join",
        "train.shuffle_batch",
        "train.shuffle_batch_join",
    ),
    *_make_rows(
        Effect.NOTHING,
        "adds to a collection that nothing reads without a session",
        "train.add_queue_runner",
    ),
    *_make_rows(
        Effect.RAISES,
        _READER,
        "ReaderBase",
        "FixedLengthRecordReader",
        "IdentityReader",
        "LMDBReader",
        "TFRecordReader",
        "TextLineReader",
        "WholeFileReader",
    ),
    *_make_rows(
        Effect.NOTHING,
        _NO_OP,
        "global_variables_initializer",
        "local_variables_initializer",
        "tables_initializer",
        "variables_initializer",
        "initialize_all_tables",
        "initialize_all_variables",
        "initialize_local_variables",
        "initialize_variables",
        "initializers.global_variables",
        "initializers.local_variables",
        "initializers.tables_initializer",
        "initializers.variables",
    ),
    *_make_rows(Effect.EMPTY, _COLLECTION, "report_uninitialized_variables"),
    *_make_rows(
        Effect.RAISES,
        "looks at the variables' graph operations: AttributeError in eager mode",
        "assert_variables_initialized",
    ),
    *_make_rows(
        Effect.EMPTY,
        _COLLECTION,
        "all_variables",
        "global_variables",
        "local_variables",
        "model_variables",
        "moving_average_variables",
        "trainable_variables",
    ),
    *_make_rows(Effect.EMPTY, None, "get_collection", "get_collection_ref"),
    *_make_rows(
        Effect.RAISES,
        "'not compatible with eager execution': use tf.debugging.enable_check_numerics",
        "add_check_numerics_ops",
    ),
    *_make_rows(
        Effect.WRONG,
        "every eager call makes a new variable: a second call for the same name, with "
        "reuse too, shares nothing",
        "get_variable",
        "get_local_variable",
    ),
    *_make_rows(
        Effect.WRONG,
        "names variables in eager mode, but its reuse shares nothing",
        "variable_scope",
        "variable_op_scope",
    ),
    *_make_rows(Effect.RAISES, None, "metrics"),
    *_make_rows(Effect.RAISES, None, "summary.FileWriter", "summary.FileWriterCache"),
    *_make_rows(Effect.RAISES, None, "summary.merge", "summary.merge_all"),
    *_make_rows(Effect.RAISES, None, "summary.image"),
    *_make_rows(
        Effect.RAISES,
        "'not supported when eager execution is enabled. Use tf.GradientTape'",
        "gradients",
        "hessians",
    ),
    *_make_rows(
        Effect.RAISES,
        _META,
        "train.export_meta_graph",
        "train.import_meta_graph",
    ),
    *_make_rows(
        Effect.RAISES,
        "'not supported in eager mode. Use Python-style iteration instead'",
        "data.make_initializable_iterator",
    ),
    *_make_rows(Effect.EMPTY, None, "losses.get_losses"),
    *_make_rows(
        Effect.EMPTY, f"{_LOSSES}: it is empty", "losses.get_regularization_losses"
    ),
    *_make_rows(Effect.WRONG, None, "losses.get_regularization_loss"),
    *_make_rows(Effect.RAISES, None, "losses.get_total_loss"),
    *_make_rows(Effect.NOTHING, f"{_LOSSES}: it adds to nothing", "losses.add_loss"),
    *_make_rows(Effect.RAISES, None, "train.replica_device_setter"),
    *_make_rows(
        Effect.RAISES,
        "the accumulator is a graph reference: RuntimeError in eager mode",
        "SparseConditionalAccumulator",
        "sparse.SparseConditionalAccumulator",
    ),
    *_make_rows(
        Effect.RAISES,
        "needs a session, or tensors of a graph: RuntimeError in eager mode",
        "saved_model.simple_save",
        "saved_model.build_tensor_info",
        "saved_model.utils.build_tensor_info",
    ),
    *_make_rows(
        Effect.RAISES,
        _HOOK,
        "train.CheckpointSaverHook",
        "train.GlobalStepWaiterHook",
        "train.LoggingTensorHook",
        "train.NanTensorHook",
        "train.ProfilerHook",
        "train.StepCounterHook",
        "train.StopAtStepHook",
        "train.SummarySaverHook",
    ),
    *_make_rows(Effect.RAISES, _FEEDING_HOOK, "train.FeedFnHook"),
    *_make_rows(Effect.RAISES, _FINAL_HOOK, "train.FinalOpsHook"),
)

GRAPH_ONLY: dict[str, GraphOnly] = {row.symbol: row for row in _ROWS}


_RECIPE = "This function needs a graph session. Write what it does for eager execution."
# Recipes for symbols about which more can be said.
_RECIPES = {
    "tf.train.FinalOpsHook": "Use the values that `evaluate` returns. To read variables at the end, "
    "write a hook with `session.run(variable)` in its `end`.",
    "tf.train.FeedFnHook": "Let the input_fn give what it fed: "
    "`tf.data.Dataset.from_generator(generate, types, shapes)`, with a "
    "generator that yields what feed_fn returned.",
}


def find_recipe(symbol: str) -> str:
    """Returns the recipe to replace a symbol that works in a graph only."""
    return _RECIPES.get(symbol, _RECIPE)


def find(symbol: str) -> GraphOnly | None:
    """Returns the row of a symbol, or of the class or module it belongs to."""
    name = symbol
    while name:
        if name in GRAPH_ONLY:
            return GRAPH_ONLY[name]
        name = name.rpartition(".")[0]
    return None


def find_reason(symbol: str) -> str:
    """Returns the reason why a symbol of the table needs a graph; its row must have one."""
    row = find(symbol)
    assert row is not None and row.reason is not None
    return row.reason
