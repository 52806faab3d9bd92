"""TF1 to TF1: a profile around each run call that fills run metadata for a writer.

    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    summary, _ = sess.run([merged, train], feed, options, metadata)
    writer.add_run_metadata(metadata, "step%d" % i)

becomes

    with tf.profiler.experimental.Profile(writer.get_logdir()):
        summary, _ = sess.run([merged, train], feed)

A process has one profiler. So programs with threads, and tasks of a cluster, stay.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.normalise.text import ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles

_OPTIONS = "tf.RunOptions"
_METADATA = "tf.RunMetadata"
# Positions in `Session.run`.
_PLACES = {"options": 2, "run_metadata": 3}
_SEVERAL = (
    *("tf.train.Server", "tf.train.Supervisor", "tf.train.MonitoredTrainingSession"),
    *("tf.train.ClusterSpec", "tf.train.Coordinator", "tf.train.start_queue_runners"),
)
_THREADS = frozenset({"threading", "multiprocessing", "concurrent"})
_STEP = "    "
_REASON = (
    "a profile of this step stands in place of the trace. TensorBoard shows it under "
    "Profile, without the tag"
)


def write_profiles(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text with profiles in place of run metadata, and what is said of it."""
    found: list[Finding] = []
    while "RunMetadata" in text.source:
        pass_ = _Traces(text)
        new = pass_.write_next_profile() or pass_.drop_next_unused()
        if new is None:
            break
        text = new
        found += pass_.found
    return text, tuple(found)


@dataclasses.dataclass(frozen=True)
class _Trace:
    """A traced run call, and what is made of it.

    Attributes:
      run: the call.
      statement: the statement of the call.
      kept: the call's other arguments.
      adds: the statement that gives the metadata to a writer.
      writer: the writer's name.
      profile: how the file names `tf.profiler.experimental.Profile`.
    """

    run: ast.Call
    statement: ast.stmt
    kept: list[ast.expr | ast.keyword]
    adds: ast.stmt
    writer: str
    profile: str


class _Traces(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.found: list[Finding] = []

    def write_next_profile(self) -> Text | None:
        """The text with the next traced run call in a profile; None if there is none."""
        if self._has_several_runners():
            return None
        for call in self._scopes.walk():
            trace = self._read_trace(call) if isinstance(call, ast.Call) else None
            if trace is not None:
                self._note(trace.run, _METADATA)
                return self._write_profile(trace)
        return None

    def drop_next_unused(self) -> Text | None:
        """The text without the next options or metadata that nothing reads any more."""
        for symbol in (_OPTIONS, _METADATA):
            for call in self._scopes.list_calls(symbol):
                made = self._scopes.parents[call]
                name = self._read_made(made)
                suite = self._find_suite(made) if isinstance(made, ast.stmt) else None
                if name is None or suite is None or self._list_reads(name):
                    continue
                assert isinstance(made, ast.stmt)
                self._note(call, symbol)
                return self._drop(made, suite)
        return None

    def _has_several_runners(self) -> bool:
        """Whether other tasks or threads may run steps at the same time."""
        paths = (
            self._scopes.import_path(node.func)
            for node in self._scopes.walk()
            if isinstance(node, ast.Call)
        )
        threads = any(path.partition(".")[0] in _THREADS for path in paths)
        return threads or bool(self._scopes.list_calls(*_SEVERAL))

    def _read_trace(self, run: ast.Call) -> _Trace | None:
        if not (isinstance(run.func, ast.Attribute) and run.func.attr == "run"):
            return None
        statement = self._scopes.parents[run]
        suite = self._find_suite(statement)
        options, metadata = (
            names.find_argument(run, name, place) for name, place in _PLACES.items()
        )
        if suite is None or not isinstance(metadata, ast.Name):
            return None
        assert isinstance(statement, ast.stmt)
        root = self._find_root()
        if not (
            root
            and self._is_made_by(metadata, _METADATA)
            and self._is_given_in_turn(metadata)
            and (options is None or self._traces_only(options))
        ):
            return None
        traces = {options, metadata}
        given: list[ast.expr | ast.keyword] = [*run.args, *run.keywords]
        given.sort(key=lambda one: (one.lineno, one.col_offset))
        kept = [one for one in given if getattr(one, "value", one) not in traces]
        kept = [one for one in kept if one not in traces]
        if not kept or kept != given[: len(kept)]:
            return None
        for after in suite[suite.index(statement) + 1 :]:
            writer = self._read_writer(after, metadata)
            if writer is not None:
                profile = f"{root}.profiler.experimental.Profile"
                return _Trace(run, statement, kept, after, writer, profile)
            if metadata.id in find_plain_names(after):
                return None
        return None

    def _is_given_in_turn(self, metadata: ast.Name) -> bool:
        """Whether only run calls and writers get the metadata, and as many of each."""
        runs, adds = 0, 0
        for read in self._list_reads(metadata):
            above = self._scopes.parents[read]
            call = (
                self._scopes.parents[above] if isinstance(above, ast.keyword) else above
            )
            if not (
                isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            ):
                return False
            if call.func.attr == "run":
                runs += 1
            elif call.func.attr == "add_run_metadata":
                adds += 1
            else:
                return False
        return runs == adds

    def _read_writer(self, statement: ast.stmt, metadata: ast.Name) -> str | None:
        """The writer's name, if a statement only gives it the metadata."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "add_run_metadata"
            and isinstance(call.func.value, ast.Name)
            and self._is_made_by(call.func.value, *roles.WRITERS)
            and self._text.is_alone(statement)
        ):
            return None
        given = names.find_argument(call, "run_metadata", 0)
        calls = [n for n in walk_breadth_first(call) if isinstance(n, ast.Call)]
        if not (isinstance(given, ast.Name) and given.id == metadata.id) or calls != [
            call
        ]:
            return None
        return call.func.value.id

    def _traces_only(self, options: ast.expr) -> bool:
        """Whether options ask for a trace, and for nothing else."""
        if isinstance(options, ast.Call):
            calls: list[ast.AST] = [options]
        elif isinstance(options, ast.Name) and self._is_made_by(options, _OPTIONS):
            calls = [binding.value for binding in self._list_bindings(options)]  # type: ignore[attr-defined]
        else:
            return False
        return all(
            isinstance(call, ast.Call)
            and self._scopes.resolve(call.func) == _OPTIONS
            and not call.args
            and {keyword.arg for keyword in call.keywords} <= {"trace_level"}
            for call in calls
        )

    def _find_root(self) -> str:
        """The name of TensorFlow itself in this file; "" if it has none."""
        for call in self._scopes.list_calls(_METADATA):
            root = call.func.value if isinstance(call.func, ast.Attribute) else None
            if (
                isinstance(root, ast.Name)
                and self._scopes.import_path(root) == "tensorflow"
            ):
                return root.id
        return ""

    def _is_made_by(self, name: ast.Name, *symbols: str) -> bool:
        """Whether a name only has what one of these calls makes."""
        bindings = self._list_bindings(name)
        return bool(bindings) and all(
            isinstance(binding, ast.Assign)
            and len(binding.targets) == 1
            and isinstance(binding.value, ast.Call)
            and self._scopes.resolve(binding.value.func) in symbols
            for binding in bindings
        )

    def _list_bindings(self, name: ast.Name) -> list[ast.AST]:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return list(owner.bindings.get(name.id, ())) if owner is not None else []

    def _list_reads(self, name: ast.Name) -> list[ast.Name]:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == name.id
            and not isinstance(node.ctx, ast.Store)
            and self._scopes.find_scope(node).find_owner(name.id) is owner
        ]

    def _read_made(self, made: ast.AST) -> ast.Name | None:
        target = made.targets[0] if isinstance(made, ast.Assign) else None
        alone = isinstance(made, ast.Assign) and len(made.targets) == 1
        return target if alone and isinstance(target, ast.Name) else None

    def _find_suite(self, statement: ast.AST) -> list[ast.stmt] | None:
        """The suite of a plain statement that has its lines for itself."""
        if isinstance(statement, ast.Assign | ast.Expr) and self._text.is_alone(
            statement
        ):
            return names.find_suite(self._scopes.parents[statement], statement)
        return None

    def _drop(self, statement: ast.stmt, suite: list[ast.stmt]) -> Text:
        line, end = statement.lineno, statement.end_lineno or statement.lineno
        if len(suite) > 1:
            return self._text.splice(line, end, [], [])
        origin = self._text.origins[line - 1]
        return self._text.splice(
            line, end, [self._indent(statement) + "pass"], [origin]
        )

    def _write_profile(self, trace: _Trace) -> Text | None:
        text, last, statement = self._text, trace.kept[-1], trace.statement
        first, end = last.end_lineno or 0, trace.run.end_lineno or 0
        begin = text.find_column(first, last.end_col_offset or 0)
        stop = text.find_column(end, trace.run.end_col_offset or 0)
        removed = text.lines[first - 1 : end]
        if find_lines_inside_strings(statement) or any("#" in x for x in removed[:-1]):
            return None  # A comment among the arguments would be lost.
        cut = removed[0][:begin] + ")" + removed[-1][stop:]
        indent = self._indent(statement)
        lines, origins = text.indent_statements([statement], indent, _STEP)
        above = (statement.end_lineno or end) + 1 - len(lines)
        kept = first - above
        lines = [*lines[:kept], _STEP + cut]
        header = f"{indent}with {trace.profile}({trace.writer}.get_logdir()):"
        comments = sum(
            line.strip().startswith("#") for line in lines[: statement.lineno - above]
        )
        return text.splice(
            trace.adds.lineno, trace.adds.end_lineno or trace.adds.lineno, [], []
        ).splice(
            above,
            end,
            [*text.lines[above - 1 : above - 1 + comments], header, *lines[comments:]],
            [*origins[:comments], origins[comments], *origins[comments : kept + 1]],
        )

    def _note(self, node: ast.Call, symbol: str) -> None:
        line = self._text.origins[node.lineno - 1]
        self.found.append(
            Finding(
                line, node.col_offset + 1, "S108", Outcome.REWRITTEN, symbol, _REASON
            )
        )
