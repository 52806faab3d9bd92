"""TF1 to TF1: a SessionManager used by itself, as a session and what it does at its start.

    sm = tf.train.SessionManager()
    sess = sm.prepare_session("", init_op=init, saver=saver, checkpoint_dir=directory)

    sess = tf.Session()
    checkpoint_path = tf.train.latest_checkpoint(directory)
    if checkpoint_path: saver.restore(sess, checkpoint_path)
    else: sess.run(init)

A chief that prepares beside workers that wait is a Supervisor's session, which saves
nothing by itself.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.normalise.feeds.view import Unclear, View, flatten_expression
from migrate.normalise.text import Text
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.tables import supervisor as table

_MANAGER = "tf.train.SessionManager"
_STEP = "    "


def write_out_managers(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text without such managers, and what is said of each; itself otherwise."""
    if "SessionManager" not in text.source:
        return text, ()
    view = View(text)
    made = [
        n
        for n in view.scopes.walk()
        if isinstance(n, ast.Call) and view.scopes.resolve(n.func) == _MANAGER
    ]
    try:
        for call in made:
            manager = _Manager(view, call)
            if new := manager.rewrite():
                rest, found = write_out_managers(new)
                return rest, (manager.make_finding(), *found)
    except Unclear:
        pass
    return text, ()


class _Manager:
    def __init__(self, view: View, made: ast.Call) -> None:
        self._view = view
        self._made = made
        self._line = 0

    def rewrite(self) -> Text | None:
        """The text without this manager; None if a Supervisor is told of it.

        Raises:
          Unclear: it is used in another way.
        """
        view = self._view
        statement = view.scopes.parents[self._made]
        if isinstance(statement, ast.keyword):
            return None
        if (
            not isinstance(statement, ast.Assign)
            or not isinstance(statement.targets[0], ast.Name)
            or not view.text.is_alone(statement)
        ):
            raise Unclear
        opened = self._find_uses(statement)
        waits = [c for c in opened if find_method(c) == "wait_for_session"]
        prepared = [c for c in opened if find_method(c) == "prepare_session"]
        if len(prepared) != 1 or len(waits) > 1:
            raise Unclear
        self._line = view.text.origins[prepared[0].lineno - 1]
        if waits:
            return self._rewrite_chief_branch(statement, prepared[0], waits[0])
        return self._rewrite_alone(statement, prepared[0])

    def make_finding(self) -> Finding:
        """Makes the finding about the manager."""
        return Finding(
            self._line,
            1,
            "S115",
            Outcome.REWRITTEN,
            _MANAGER,
            "the session restores or is initialised as the manager would have done",
        )

    def _find_uses(self, statement: ast.Assign) -> list[ast.Call]:
        found = []
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        for node in self._view.scopes.walk():
            if not isinstance(node, ast.Name) or node.id != target.id or node is target:
                continue
            around = self._view.scopes.parents[node]
            call = self._view.scopes.parents[around]
            if (
                find_binding(self._view.scopes, node) is not self._made
                or not isinstance(around, ast.Attribute)
                or around.attr not in ("prepare_session", "wait_for_session")
                or not isinstance(call, ast.Call)
            ):
                raise Unclear
            found.append(call)
        return found

    def _find_begun(self) -> ast.expr | None:
        """Returns the manager's local_init_op, which runs after initialisation."""
        if self._made.args or any(k.arg is None for k in self._made.keywords):
            raise Unclear
        local: ast.expr | None = None
        for keyword in self._made.keywords:
            if keyword.arg == "local_init_op":
                local = keyword.value
            elif keyword.arg == "graph":
                given = keyword.value
                called = given.func if isinstance(given, ast.Call) else given
                if self._view.scopes.resolve(called) != "tf.get_default_graph":
                    raise Unclear
            elif keyword.arg not in table.MANAGER_DROPPED:
                raise Unclear
        return local

    def _map_arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        """Maps the arguments of prepare_session, without those of no effect."""
        bound = names.bind_arguments(call, table.PREPARE_PARAMETERS)
        if bound is None:
            raise Unclear
        given = {
            name: value
            for name, value in bound.items()
            if not (
                isinstance(value, ast.Constant) and value.value in (None, False, "")
            )
        }
        given.pop("max_wait_secs", None)
        if {"wait_for_checkpoint", "init_feed_dict"} & set(given):
            raise Unclear
        if "init_op" not in given and "checkpoint_filename_with_path" not in given:
            raise Unclear
        if "init_fn" in given and names.find_key(given["init_fn"]) is None:
            raise Unclear
        return given

    # -- one process, or each for itself ----------------------------------------------------------

    def _rewrite_alone(self, statement: ast.Assign, call: ast.Call) -> Text:
        given = self._map_arguments(call)
        local = self._find_begun()
        parent = self._view.scopes.parents[call]
        if isinstance(parent, ast.withitem):
            block = self._view.scopes.parents[parent]
            if not isinstance(block, ast.With) or len(block.items) != 1:
                raise Unclear
            if not isinstance(parent.optional_vars, ast.Name):
                raise Unclear
            first = block.body[0]
            session = parent.optional_vars.id
            indent = self._view.indent(first)
            head = f"{self._view.indent(block)}with {self._write_session(given)} as {session}:"
            start, end = block.lineno, first.lineno - 1
            if first.lineno == block.lineno or self._comments(
                block.lineno, first.lineno
            ):
                raise Unclear
        elif isinstance(parent, ast.Assign) and self._view.text.is_alone(parent):
            kept = names.find_key(parent.targets[0])
            if kept is None or len(parent.targets) != 1:
                raise Unclear
            session, indent = kept, self._view.indent(parent)
            head = f"{indent}{session} = {self._write_session(given)}"
            start, end = parent.lineno, parent.end_lineno or parent.lineno
        else:
            raise Unclear
        body = [
            indent + line for line in self._write_start(call, given, local, session)
        ]
        origin = self._view.text.origins[start - 1]
        text = self._view.text.splice(
            start, end, [head, *body], [origin] * (len(body) + 1)
        )
        if statement.lineno > start:
            raise Unclear
        last = statement.end_lineno or statement.lineno
        return text.splice(statement.lineno, last, [], [])

    def _comments(self, start: int, end: int) -> bool:
        """Comments that would be lost between a block's first line and its body."""
        lines_ = self._view.text.lines[start - 1 : end - 1]
        return any("#" in line for line in lines_)

    def _write_session(self, given: dict[str, ast.expr]) -> str:
        parts = []
        if "master" in given:
            parts.append(flatten_expression(self._view.text, given["master"]))
        if "config" in given:
            parts.append(
                f"config={flatten_expression(self._view.text, given['config'])}"
            )
        return f"tf.Session({', '.join(parts)})"

    def _write_start(
        self,
        call: ast.Call,
        given: dict[str, ast.expr],
        local: ast.expr | None,
        session: str,
    ) -> list[str]:
        """Writes what prepare_session does with the new session."""
        text = self._view.text
        saver = flatten_expression(text, given["saver"]) if "saver" in given else ""
        made = []
        if "init_op" in given:
            made.append(f"{session}.run({flatten_expression(text, given['init_op'])})")
        if "init_fn" in given:
            made.append(f"{flatten_expression(text, given['init_fn'])}({session})")
        lines_: list[str] = []
        if saver and "checkpoint_filename_with_path" in given:
            path = flatten_expression(text, given["checkpoint_filename_with_path"])
            made = [f"{saver}.restore({session}, {path})"]
        if saver and "checkpoint_dir" in given:
            if "checkpoint_filename_with_path" in given:
                raise Unclear
            directory = given["checkpoint_dir"]
            shown = flatten_expression(text, directory)
            name = self._view.choose_free_name(
                "checkpoint_path", self._view.find_function(call)
            )
            latest = f"tf.train.latest_checkpoint({shown})"
            if not _is_given(directory):
                latest += f" if {shown} else None"
            lines_ += [f"{name} = {latest}", f"if {name}:"]
            lines_ += [f"{_STEP}{saver}.restore({session}, {name})", "else:"]
            made = [_STEP + line for line in made]
        lines_ += made
        if local is not None:
            lines_.append(f"{session}.run({flatten_expression(text, local)})")
        return lines_

    # -- a chief, and workers that wait for it --------------------------------------------------------

    def _rewrite_chief_branch(
        self, statement: ast.Assign, prepared: ast.Call, waiting: ast.Call
    ) -> Text:
        """`if is_chief: sess = sm.prepare_session(...)`, else the others wait."""
        view = self._view
        given = self._map_arguments(prepared)
        local = self._find_begun()
        branch = view.scopes.parents[view.scopes.parents[prepared]]
        if not isinstance(branch, ast.If) or not view.text.is_alone(branch):
            raise Unclear
        sides = [*branch.body, *branch.orelse]
        if len(sides) != 2 or "checkpoint_filename_with_path" in given:
            raise Unclear
        both = [s.value for s in sides if isinstance(s, ast.Assign)]
        if both != [prepared, waiting] and both != [waiting, prepared]:
            raise Unclear
        targets = {
            names.find_key(s.targets[0]) for s in sides if isinstance(s, ast.Assign)
        }
        if len(targets) != 1 or None in targets:
            raise Unclear
        other = names.bind_arguments(waiting, ("master", "config", "max_wait_secs"))
        if other is None or "master" not in given or "master" not in other:
            raise Unclear
        if ast.dump(other["master"]) != ast.dump(given["master"]):
            raise Unclear
        chief = flatten_expression(view.text, branch.test)
        if both[0] is waiting:
            chief = f"not ({chief})"
        parts = [f"is_chief={chief}"]
        for name, value in (
            ("logdir", given.get("checkpoint_dir") if "saver" in given else None),
            ("init_op", given.get("init_op")),
            ("local_init_op", local),
            ("saver", given.get("saver")),
            ("init_fn", given.get("init_fn")),
        ):
            if value is not None:
                parts.append(f"{name}={flatten_expression(view.text, value)}")
        parts += ["summary_op=None", "save_model_secs=0"]
        indent = view.indent(branch)
        supervisor = view.choose_free_name("supervisor", view.find_function(branch))
        config = given.get("config")
        session = f"{supervisor}.prepare_or_wait_for_session("
        session += flatten_expression(view.text, given["master"])
        if config is not None:
            session += f", config={flatten_expression(view.text, config)}"
        new = [
            f"{indent}{supervisor} = tf.train.Supervisor({', '.join(parts)})",
            f"{indent}{next(iter(targets))} = {session})",
        ]
        start, end = branch.lineno, branch.end_lineno or branch.lineno
        origin = view.text.origins[prepared.lineno - 1]
        text = view.text.splice(start, end, new, [origin] * len(new))
        if statement.lineno > start:
            raise Unclear
        last = statement.end_lineno or statement.lineno
        return text.splice(statement.lineno, last, [], [])


def _is_given(directory: ast.expr) -> bool:
    """Whether a directory is seen to be named, so that checkpoints are looked for."""
    if isinstance(directory, ast.Constant):
        return True
    if isinstance(directory, ast.BinOp):
        return isinstance(directory.left, ast.Constant) or isinstance(
            directory.right, ast.Constant
        )
    return isinstance(directory, ast.Call) and find_method(directory) in (
        "join",
        "format",
    )
