"""TF1 to TF1: other ways to open a session and to run in it, as one.

`tf.InteractiveSession()` is a `tf.Session` that is the default; `loss.eval(feed)` and
`train_op.run(feed)` in a default session are runs of it; a `SingularMonitoredSession`
and a `MonitoredSession` are MonitoredTrainingSessions that restore, and save nothing.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from migrate.facts import names
from migrate.normalise.sessions import default_session
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import roles

_INTERACTIVE = "tf.InteractiveSession"
_SINGULAR = (
    *("hooks", "scaffold", "master", "config", "checkpoint_dir"),
    *("stop_grace_period_secs", "checkpoint_filename_with_path"),
)
_CREATORS = {
    "tf.train.ChiefSessionCreator": (
        *("scaffold", "master", "config", "checkpoint_dir"),
        "checkpoint_filename_with_path",
    ),
    "tf.train.WorkerSessionCreator": ("scaffold", "master", "config", "max_wait_secs"),
}
_MONITORED = ("session_creator", "hooks", "stop_grace_period_secs")
# A MonitoredSession runs the hooks it is given, and none of its own.
_NO_SERVICES = (
    "save_checkpoint_secs=None, save_checkpoint_steps=None, save_summaries_secs=None, "
    "save_summaries_steps=None, log_step_count_steps=None"
)
_METHODS = ("eval", "run")
_MADE_BY_METHOD = frozenset({"minimize", "apply_gradients"})
_OPERATIONS = roles.INITIALIZER_OPS | {"tf.group", "tf.no_op"}
# Attributes of variables, iterators and tensors that are operations.
_GIVING_OPERATIONS = frozenset({"initializer", "op"})


def convert_to_monitored(text: Text) -> Text:
    """MonitoredSession and SingularMonitoredSession as MonitoredTrainingSession."""
    if "MonitoredSession" not in text.source:
        return text
    return _Monitored(text).run()


def convert_plain_sessions(text: Text) -> Text:
    """The text with one kind of plain session, and every run a call of its `run`."""
    if "Session(" not in text.source:
        return text
    text = default_session.name_default_session(_Plain(text).name_session())
    text = _Plain(text).write_runs_out()
    return _Plain(text).drop_default()


class _Monitored(ParsedText):
    def run(self) -> Text:
        edits: list[Edit] = []
        gone: list[ast.stmt] = []
        for node in walk_breadth_first(self._tree):
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func)
            if symbol == "tf.train.SingularMonitoredSession":
                bound = names.bind_arguments(node, _SINGULAR)
                new = self._write_call(node, bound, None) if bound is not None else None
            elif symbol == "tf.train.MonitoredSession":
                new = self._open_creator(node, gone)
            else:
                continue
            if new is None:
                return self._text
            edits.append(Edit(node, new))
        if not edits:
            return self._text
        text = self._text.apply_edits(edits)
        for statement in sorted(gone, key=lambda s: -s.lineno):
            end = statement.end_lineno or statement.lineno
            left: list[str] = []
            if self._is_all(statement):
                left = [text.find_indentation(statement) + "pass"]
            origins = [text.origins[statement.lineno - 1]] * len(left)
            text = text.splice(statement.lineno, end, left, origins)
        return text

    def _is_all(self, statement: ast.stmt) -> bool:
        """Whether its branch has no other statement."""
        branch = self._scopes.parents[statement]
        return isinstance(branch, ast.If) and [statement] in (
            branch.body,
            branch.orelse,
        )

    def _write_call(
        self, node: ast.Call, bound: dict[str, ast.expr], chief: str | None
    ) -> str | None:
        """The call of MonitoredTrainingSession; None if an argument has no equal."""
        if bound.pop("checkpoint_filename_with_path", None) is not None:
            return None
        parts = [f"{name}={self._join_lines(value)}" for name, value in bound.items()]
        if chief is not None:
            parts.append(f"is_chief={chief}")
        if not isinstance(node.func, ast.Attribute):
            return None
        func = self._text.find_segment(node.func.value) + ".MonitoredTrainingSession"
        return f"{func}({', '.join([*parts, _NO_SERVICES])})"

    def _open_creator(self, node: ast.Call, gone: list[ast.stmt]) -> str | None:
        bound = names.bind_arguments(node, _MONITORED)
        if bound is None:
            return None
        creator = bound.pop("session_creator", None)
        if creator is None:
            return self._write_call(node, bound, None)
        made = self._find_creations(creator)
        if made is None:
            return None
        calls, test, statements = made
        given: dict[str, ast.expr] = {}
        for call in calls:
            symbol = self._scopes.resolve(call.func) or ""
            arguments = names.bind_arguments(call, _CREATORS[symbol])
            if arguments is None:
                return None
            arguments.pop("max_wait_secs", None)
            for name, value in arguments.items():
                if name in given and ast.dump(given[name]) != ast.dump(value):
                    return None
                given[name] = value
        gone.extend(statements)
        chief = test
        if len(calls) == 1:
            first = self._scopes.resolve(calls[0].func)
            chief = str(first == "tf.train.ChiefSessionCreator")
        return self._write_call(node, {**given, **bound}, chief)

    def _find_creations(
        self, creator: ast.expr
    ) -> tuple[list[ast.Call], str | None, list[ast.stmt]] | None:
        """Finds the creators' calls, the chief's test, and the statements to remove."""
        if isinstance(creator, ast.Call):
            known = self._scopes.resolve(creator.func) in _CREATORS
            return ([creator], None, []) if known else None
        if isinstance(creator, ast.IfExp):
            return self._choose(creator.test, creator.body, creator.orelse, [])
        if not isinstance(creator, ast.Name):
            return None
        owner = self._scopes.find_scope(creator).find_owner(creator.id)
        bindings = owner.bindings[creator.id] if owner is not None else []
        reads = [
            n
            for n in walk_breadth_first(self._tree)
            if isinstance(n, ast.Name) and n.id == creator.id and n is not creator
            if isinstance(n.ctx, ast.Load)
        ]
        if reads or not all(isinstance(b, ast.Assign) for b in bindings):
            return None
        if len(bindings) == 1 and self._text.is_alone(bindings[0]):  # type: ignore[arg-type]
            found = self._find_creations(bindings[0].value)  # type: ignore[attr-defined]
            if found is None:
                return None
            return found[0], found[1], [*found[2], bindings[0]]  # type: ignore[list-item]
        if len(bindings) != 2:
            return None
        first, second = bindings
        branch = self._scopes.parents[first]
        if not (
            isinstance(branch, ast.If)
            and first in branch.body
            and second in branch.orelse
            and isinstance(first, ast.Assign)
            and isinstance(second, ast.Assign)
        ):
            return None
        if len(branch.body) + len(branch.orelse) == 2:
            return self._choose(branch.test, first.value, second.value, [branch])
        # The branches keep their other statements.
        inside = {
            name
            for s in (*branch.body, *branch.orelse)
            if s not in (first, second)
            for name in names.find_binds(s)
        }
        reads_inside = names.find_reads(first.value) | names.find_reads(second.value)
        if reads_inside & inside or not all(map(self._text.is_alone, (first, second))):
            return None
        gone: list[ast.stmt] = [first, second]
        return self._choose(branch.test, first.value, second.value, gone)

    def _choose(
        self,
        test: ast.expr,
        chief: ast.expr,
        worker: ast.expr,
        statements: list[ast.stmt],
    ) -> tuple[list[ast.Call], str | None, list[ast.stmt]] | None:
        kinds = [
            self._scopes.resolve(c.func) if isinstance(c, ast.Call) else None
            for c in (chief, worker)
        ]
        if kinds != list(_CREATORS):
            return None
        calls = [c for c in (chief, worker) if isinstance(c, ast.Call)]
        return calls, self._join_lines(test), statements


class _Plain(ParsedText):
    def _list_sessions(self) -> list[ast.Call]:
        return self._scopes.list_calls(*roles.PLAIN_SESSIONS, _INTERACTIVE)

    def _list_running(self) -> list[ast.Call]:
        """Lists the calls that open sessions, monitored ones too: all are defaults."""
        return self._scopes.list_calls(*roles.SESSIONS, _INTERACTIVE)

    def name_session(self) -> Text:
        """`with tf.Session():` and a statement `tf.InteractiveSession()` get a name."""
        sessions = self._list_sessions()
        if len(sessions) != 1:
            return self._text
        call = sessions[0]
        parent = self._scopes.parents[call]
        shown = self._text.find_segment(call)
        taken = find_plain_names(self._tree)
        name = "sess" if "sess" not in taken else "session"
        name = names.find_free_name(self._tree, name)
        if "\n" in shown:
            return self._text
        if isinstance(parent, ast.withitem) and parent.optional_vars is None:
            return self._text.apply_edits([Edit(call, f"{shown} as {name}")])
        if isinstance(parent, ast.Expr):
            return self._text.apply_edits([Edit(call, f"{name} = {shown}")])
        return self._text

    def write_runs_out(self) -> Text:
        """`loss.eval(feed)` is a run of its session: the default one, or that it names."""
        sessions = self._list_sessions()
        edits: dict[ast.AST, Edit] = {}
        for session in reversed(
            self._list_running()
        ):  # Inner blocks before outer ones.
            name, region = self._find_default(session)
            for node in region if name is not None else ():
                if node not in edits and isinstance(node, ast.Call):
                    edit = self._write_run(node, name)
                    if edit is not None:
                        edits[node] = edit
        for name, region in self._list_kept_defaults():
            for node in region:
                if node not in edits and isinstance(node, ast.Call):
                    edit = self._write_run(node, name)
                    if edit is not None:
                        edits[node] = edit
        only = default_session.find_session_name(self._scopes)
        if only is not None:
            for node in default_session.find_calls_in_functions(self._scopes, only):
                edit = self._write_run(node, only)
                if node not in edits and edit is not None:
                    edits[node] = edit
        for node in (
            walk_breadth_first(self._tree) if self._find_session_names() else ()
        ):
            if node not in edits and isinstance(node, ast.Call):
                edit = self._write_run(node, None)
                if edit is not None:
                    edits[node] = edit
        text = self._text.apply_edits(list(edits.values()))
        if len(sessions) == 1 and self._scopes.resolve(sessions[0].func) == (
            _INTERACTIVE
        ):
            call = next(c for c in _Plain(text)._list_sessions())
            func = text.find_segment(call.func)
            if func.endswith("InteractiveSession") and "." in func:
                plain = func.rpartition(".")[0] + ".Session"
                text = text.apply_edits([Edit(call.func, plain)])
        return text

    def drop_default(self) -> Text:
        """`with sess.as_default():` around code that runs by the session's name."""
        sessions = self._list_running()
        if len(sessions) != 1:
            return self._text
        name, _ = self._find_default(sessions[0])
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.With) and len(node.items) > 1 and name is not None:
                among = self._drop_item(node, name)
                if among is not None:
                    return among
            if not (
                isinstance(node, ast.With)
                and len(node.items) == 1
                and node.items[0].optional_vars is None
                and name is not None
                and isinstance(node.items[0].context_expr, ast.Call)
                and self._makes_default(node.items[0].context_expr, name)
            ):
                continue
            first, last = node.body[0], node.body[-1]
            if first.lineno == node.lineno:
                continue
            verbatim = find_lines_inside_strings(node)
            end = last.end_lineno or last.lineno
            at = self._text.lines[node.lineno - 1]
            outer = at[: len(at) - len(at.lstrip())]
            inner = self._text.lines[first.lineno - 1]
            inner = inner[: len(inner) - len(inner.lstrip())]
            lines = [
                outer + line[len(inner) :]
                if line.startswith(inner) and number not in verbatim
                else line
                for number, line in enumerate(
                    self._text.lines[node.lineno : end], node.lineno + 1
                )
            ]
            new = self._text.splice(
                node.lineno, end, lines, self._text.origins[node.lineno : end]
            )
            try:
                parse_source(new.source)
            except SyntaxError:
                continue
            return new
        return self._text

    def _drop_item(self, block: ast.With, name: str) -> Text | None:
        """`with tf.Session() as sess, sess.as_default():` without the second."""
        for before, item in itertools.pairwise(block.items):
            call, last = item.context_expr, before.optional_vars or before.context_expr
            if (
                item.optional_vars is not None
                or not isinstance(call, ast.Call)
                or not self._makes_default(call, name)
                or last.end_lineno != call.end_lineno
            ):
                continue
            line = self._text.lines[call.lineno - 1].encode()
            new = line[: last.end_col_offset] + line[call.end_col_offset :]
            at = call.lineno
            return self._text.splice(
                at, at, [new.decode()], [self._text.origins[at - 1]]
            )
        return None

    def _write_run(self, node: ast.Call, name: str | None) -> Edit | None:
        """`loss.eval(...)` or `train_op.run(...)` written out.

        Args:
          node: a call.
          name: the default session; None for calls that name theirs.
        """
        if not (isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS):
            return None
        if not self._is_fetched(node.func, name or ""):
            return None
        bound = names.bind_arguments(node, ("feed_dict", "session"))
        if bound is None:
            return None
        given = bound.get("feed_dict")
        if (
            len(node.args) == 1
            and "session" not in bound
            and names.find_key(node.args[0]) in self._find_session_names()
        ):
            bound = {"session": node.args[0]}  # A variable's only argument.
            given = None
        session = bound.get("session")
        if session is not None:
            if names.find_key(session) not in self._find_session_names():
                return None
            name = names.find_key(session)
        if name is None:
            return None
        parts = [node.func.value, *([given] if given is not None else [])]
        shown = ", ".join(
            self._text.find_segment(p)
            if "\n" not in self._text.find_segment(p)
            else ast.unparse(p)
            for p in parts
        )
        return Edit(node, f"{name}.run({shown})")

    def _find_session_names(self) -> set[str | None]:
        """Returns the names of the sessions."""
        found: set[str | None] = set()
        for call in self._list_running():
            parent = self._scopes.parents[call]
            if isinstance(parent, ast.withitem) and parent.optional_vars is not None:
                found.add(names.find_key(parent.optional_vars))
            elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
                found.add(names.find_key(parent.targets[0]))
        return found - {None}

    def _find_default(self, call: ast.Call) -> tuple[str | None, Iterator[ast.AST]]:
        """The session's name, and the code in which it is the default."""
        parent = self._scopes.parents[call]
        nothing: Iterator[ast.AST] = iter(())
        if isinstance(parent, ast.withitem):
            block = self._scopes.parents[parent]
            if isinstance(parent.optional_vars, ast.Name):
                return parent.optional_vars.id, walk_breadth_first(block)
            return None, nothing
        if not (
            isinstance(parent, ast.Assign)
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], ast.Name)
        ):
            return None, nothing
        name = parent.targets[0].id
        if self._scopes.resolve(call.func) == _INTERACTIVE:
            home: ast.AST = parent
            while not isinstance(home, (ast.FunctionDef, ast.Module)):
                home = self._scopes.parents[home]
            return name, walk_breadth_first(home)
        blocks = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.With)
            and any(self._makes_default(i.context_expr, name) for i in node.items)
        ]
        return name, (n for block in blocks for n in walk_breadth_first(block))

    def _list_kept_defaults(self) -> Iterator[tuple[str, Iterator[ast.AST]]]:
        """An InteractiveSession that an object keeps: its names, and the code that has them.

        The object is the only one, and its session is the program's.
        """
        running = self._list_running()
        if len(running) != 1 or self._scopes.resolve(running[0].func) != _INTERACTIVE:
            return
        made = self._scopes.parents[running[0]]
        match made:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=own), attr=attribute)]
            ):
                method = self._scopes.parents[made]
            case _:
                return
        owner = self._scopes.parents.get(method)
        if not (
            isinstance(method, ast.FunctionDef) and isinstance(owner, ast.ClassDef)
        ):
            return
        classes = [
            node
            for node in self._tree.body
            if isinstance(node, ast.ClassDef)
            and owner.name in [node.name, *map(names.find_key, node.bases)]
        ]
        known = {node.name for node in classes}
        objects = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call) and names.find_key(node.func) in known
        ]
        if owner not in classes or len(objects) != 1:
            return
        for node in classes:
            for function in node.body:
                if isinstance(function, ast.FunctionDef) and function.args.args:
                    if function.args.args[0].arg == own:
                        name = f"{own}.{attribute}"
                        yield name, walk_breadth_first(function)
        statement = self._scopes.parents[objects[0]]
        match statement:
            case ast.Assign(targets=[ast.Name(id=kept)]):
                home = self._scopes.find_scope(statement)
                if len(home.bindings[kept]) == 1:
                    region = (
                        node
                        for node in walk_breadth_first(home.node)
                        if isinstance(node, ast.expr)
                        and self._scopes.find_scope(node) is home
                        and node.lineno > statement.lineno
                    )
                    yield f"{kept}.{attribute}", region

    def _makes_default(self, node: ast.expr, name: str) -> bool:
        """`with sess:` and `with sess.as_default():`."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr == "as_default" and (
                names.find_key(node.func.value) == name
            )
        return names.find_key(node) == name

    def _evaluates_itself(self, receiver: ast.expr) -> bool:
        """Whether it is an object of the program's, whose class has an `eval` of its own."""
        if not isinstance(receiver, ast.Name):
            return False
        classes = {
            node.name
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.ClassDef)
            and "eval" in {getattr(s, "name", "") for s in node.body}
        }
        owner = self._scopes.find_scope(receiver).find_owner(receiver.id)
        made = owner.bindings.get(receiver.id, []) if owner is not None else []
        return bool(classes) and (
            receiver.id == "self"
            or any(
                isinstance(m, ast.Assign)
                and isinstance(m.value, ast.Call)
                and names.find_key(m.value.func) in classes
                for m in made
            )
        )

    def _is_set(self, attribute: str) -> bool:
        """Whether objects of the program have an attribute of this name."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == attribute
            and isinstance(node.ctx, ast.Store)
            for node in walk_breadth_first(self._tree)
        )

    def _is_fetched(self, func: ast.Attribute, session: str) -> bool:
        """Whether what `eval` or `run` is called on is of the graph."""
        if (
            self._scopes.resolve(func) is not None
            or names.find_key(func.value) == session
        ):
            return False
        receiver = func.value
        if func.attr == "eval":
            if self._evaluates_itself(receiver):
                return False
            root: ast.expr = receiver
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            return not (
                isinstance(root, ast.Name)
                and self._scopes.find_dotted_path(root) not in (None, root.id)
            )
        if isinstance(receiver, ast.Call):
            return self._scopes.resolve(receiver.func) in _OPERATIONS
        if isinstance(receiver, ast.Attribute) and receiver.attr in _GIVING_OPERATIONS:
            return not self._is_set(receiver.attr)
        key = names.find_key(receiver)
        return key is not None and any(
            isinstance(made, ast.Assign)
            and any(names.find_key(target) == key for target in made.targets)
            and isinstance(made.value, ast.Call)
            and (
                self._scopes.resolve(made.value.func)
                in (*_OPERATIONS, "tf.assign", "tf.assign_add", "tf.assign_sub")
                or (
                    isinstance(made.value.func, ast.Attribute)
                    and made.value.func.attr in _MADE_BY_METHOD
                )
            )
            for made in walk_breadth_first(self._tree)
        )
