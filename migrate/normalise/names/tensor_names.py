"""TF1 to TF1: a tensor that is asked for by its name, by what the program calls it.

    x = tf.placeholder(tf.float32, [None, 3], name="x")
    ...
    graph = tf.get_default_graph()
    sess.run("loss:0", {graph.get_tensor_by_name("x:0"): batch})

The name has to be written out where the tensor is made, outside of every scope, once.

A trainable variable in scopes, `sess.run("net/w:0")`, is looked for by its name:

    sess.run([v for v in tf.trainable_variables() if v.name == "net/w:0"][0])

So is one that a program asks for in a scope that reuses its variables:

    with tf.variable_scope("net", reuse=True):
        w = tf.get_variable("w")
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_ASKS = ("get_tensor_by_name",)
# Functions that make a variable -> the position of its name.
_MAKERS: dict[str, int | None] = {"tf.get_variable": 0, "tf.Variable": None}
_GRAPHS = ("tf.get_default_graph",)


def replace_tensor_names(text: Text) -> Text:
    """The text with such tensors by the names that the program has for them."""
    asks = ":0" in text.source or "reuse" in text.source
    if not asks or "Session(" not in text.source:
        return text
    return _Names(text).run()


class _Names(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._made = self._map_names()

    def run(self) -> Text:
        for statement in walk_breadth_first(self._tree):
            if isinstance(statement, ast.With):
                looked_up = self._look_up_reused(statement)
                if looked_up is not None:
                    return _Names(looked_up).run()
            if isinstance(statement, ast.Assign):
                new = self._drop_alias(statement)
                if new is not None:
                    return _Names(new).run()
        edits: list[Edit] = []
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            ):
                continue
            if node.func.attr in _ASKS and self._is_graph(node.func.value):
                name = self._find_program_name(names.find_argument(node, "name", 0))
                if name is not None:
                    edits.append(Edit(node, name))
            elif node.func.attr == "run":
                edits += self._rename_in_run(node)
        return self._text.apply_edits(edits)

    def _drop_alias(self, statement: ast.Assign) -> Text | None:
        """`images = graph.get_tensor_by_name("x:0")`: another name for `x`."""
        call, targets = statement.value, statement.targets
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in _ASKS
            and self._is_graph(call.func.value)
            and len(targets) == 1
            and isinstance(targets[0], ast.Name)
            and self._text.is_alone(statement)
        ):
            return None
        name = self._find_program_name(names.find_argument(call, "name", 0))
        alias = targets[0].id
        scope = self._scopes.find_scope(statement)
        if name is None or len(scope.bindings.get(alias, [])) != 1:
            return None
        if scope.find_owner(name) is not self._scopes.module:
            return None
        loads = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Name)
            and node.id == alias
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(alias) is scope
        ]
        text = self._text.apply_edits(
            [Edit(node, name) for node in loads if alias != name]
        )
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        parent = self._scopes.parents[statement]
        suite = next(s for _, s in names.list_suites(parent) if statement in s)  # type: ignore[arg-type]
        line = text.lines[first - 1]
        left = [line[: len(line) - len(line.lstrip())] + "pass"]
        left = left if len(suite) == 1 else []
        origins = text.origins[first - 1 : first] if left else ()
        return text.splice(first, last, left, origins)

    def _rename_in_run(self, call: ast.Call) -> list[Edit]:
        fetched = names.find_argument(call, "fetches", 0)
        fed = names.find_argument(call, "feed_dict", 1)
        asked: list[ast.expr | None] = [fetched]
        if isinstance(fetched, (ast.List, ast.Tuple)):
            asked = list(fetched.elts)
        if isinstance(fed, ast.Dict):
            asked += fed.keys
        edits = [
            Edit(node, name)
            for node in asked
            if node is not None and (name := self._find_program_name(node)) is not None
        ]
        known = {edit.node for edit in edits}
        fed_keys = fed.keys if isinstance(fed, ast.Dict) else []
        for node in asked:
            if node is None or node in known or node in fed_keys:
                continue
            found = self._write_variable(names.read_literal(node))
            if found is not None:
                edits.append(Edit(node, found))
        return edits

    # -- variables in scopes ------------------------------------------------------------

    def _look_up_reused(self, block: ast.With) -> Text | None:
        """Replaces a block that only asks for variables that were made before it."""
        call = block.items[0].context_expr
        if not (
            len(block.items) == 1
            and block.items[0].optional_vars is None
            and isinstance(call, ast.Call)
            and self._scopes.resolve(call.func) == "tf.variable_scope"
            and self._text.is_alone(block)
        ):
            return None
        scope = names.read_literal(names.find_argument(call, "name_or_scope", 0))
        reuse = names.find_argument(call, "reuse", 8)
        if not isinstance(scope, str) or len(call.args) + len(call.keywords) != 2:
            return None
        if reuse is None or not (
            names.read_literal(reuse) is True
            or self._scopes.resolve(reuse) == "tf.AUTO_REUSE"
        ):
            return None
        lines: list[str] = []
        indent = self._text.find_indentation(block)
        for statement in block.body:
            match statement:
                case ast.Assign(
                    targets=[ast.Name(id=target)],
                    value=ast.Call(
                        args=[ast.Constant(value=str(own))], keywords=[]
                    ) as get,
                ):
                    pass
                case _:
                    return None
            if self._scopes.resolve(get.func) != "tf.get_variable":
                return None
            found = self._write_variable(f"{scope}/{own}:0")
            if found is None or not self._text.is_alone(statement):
                return None
            lines.append(f"{indent}{target} = {found}")
        if not (self._runs_here(block) and self._is_in_root_scope(block, ())):
            return None
        origins = [self._text.origins[s.lineno - 1] for s in block.body]
        last = block.end_lineno or block.lineno
        return self._text.splice(block.lineno, last, lines, origins)

    def _write_variable(self, name: object) -> str | None:
        """Writes the search for a trainable variable that the program makes in scopes."""
        if not (isinstance(name, str) and name.endswith(":0") and "/" in name):
            return None
        *scopes, own = name.removesuffix(":0").split("/")
        made: list[ast.Call] = []
        literals: set[str] = set()
        module = ""
        for node in self._scopes.walk():
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            if symbol in roles.SCOPES:
                given = names.read_literal(
                    names.find_argument(node, "name_or_scope", 0)
                )
                literals.update(given.split("/") if isinstance(given, str) else ())
            if symbol not in _MAKERS:
                continue
            given = names.find_argument(node, "name", _MAKERS[symbol])
            if names.read_literal(given) == own and not _asks_only(node, symbol):
                made.append(node)
                if isinstance(node.func, ast.Attribute):
                    module = ast.unparse(node.func.value)
        if len(made) != 1 or not module or not set(scopes) <= literals:
            return None
        if names.is_given(names.find_argument(made[0], "trainable")):
            return None
        return f'[v for v in {module}.trainable_variables() if v.name == "{name}"][0]'

    def _runs_here(self, statement: ast.stmt) -> bool:
        """Whether a statement's function, or the module, opens the session itself."""
        home = self._scopes.find_scope(statement).node
        return isinstance(home, ast.Module) or any(
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in roles.SESSIONS
            for node in walk_breadth_first(home)
        )

    def _is_in_root_scope(self, node: ast.AST, seen: tuple[ast.AST, ...]) -> bool:
        """Whether no variable scope is open where a statement is run."""
        for above in self._scopes.walk_above(node):
            if isinstance(above, ast.With) and not all(
                self._opens_no_scope(item.context_expr) for item in above.items
            ):
                return False
            if isinstance(above, (ast.ClassDef, ast.Lambda)) or above in seen:
                return False
            if not isinstance(above, ast.FunctionDef):
                continue
            uses = [
                use
                for use in self._scopes.walk()
                if isinstance(use, ast.Name)
                and use.id == above.name
                and isinstance(use.ctx, ast.Load)
            ]
            return all(
                isinstance(call := self._scopes.parents[use], ast.Call)
                and (
                    use is call.func or self._scopes.resolve(call.func) == "tf.app.run"
                )
                and self._is_in_root_scope(call, (*seen, above))
                for use in uses
            )
        return True

    def _opens_no_scope(self, opened: ast.expr) -> bool:
        if not isinstance(opened, ast.Call):
            return False
        symbol = self._scopes.resolve(opened.func)
        if symbol is not None:
            return symbol not in roles.SCOPES and symbol.startswith("tf.")
        return names.find_key(opened.func) == "open" or (
            isinstance(opened.func, ast.Attribute) and opened.func.attr == "as_default"
        )

    def _find_program_name(self, node: ast.expr | None) -> str | None:
        """Returns the program's name for the tensor with a literal name."""
        value = names.read_literal(node)
        if not (isinstance(value, str) and value.endswith(":0")):
            return None
        return self._made.get(value[:-2])

    def _is_graph(self, node: ast.expr) -> bool:
        """`tf.get_default_graph()`, a session's graph, or a name that is bound to it."""
        if isinstance(node, ast.Call):
            return self._scopes.resolve(node.func) in _GRAPHS
        if isinstance(node, ast.Attribute):
            return node.attr == "graph"
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            return len(bound) == 1 and (
                isinstance(bound[0], ast.Assign)
                and not isinstance(bound[0].value, ast.Name)
                and self._is_graph(bound[0].value)
            )
        return False

    def _map_names(self) -> dict[str, str]:
        """Tensors' names -> the module's names for them."""
        found: dict[str, list[str | None]] = {}
        for node in walk_breadth_first(self._tree):
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            position = 0 if symbol == "tf.get_variable" else None
            given = names.read_literal(names.find_argument(node, "name", position))
            if symbol.startswith("tf.") and isinstance(given, str):
                found.setdefault(given, []).append(self._find_bound_name(node))
        return {
            given: made[0]
            for given, made in found.items()
            if len(made) == 1 and made[0] is not None
        }

    def _find_bound_name(self, call: ast.Call) -> str | None:
        """The name that the call's result is bound to, once and outside of scopes."""
        statement = self._scopes.parents[call]
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        parent = self._scopes.parents[statement]
        while isinstance(parent, (ast.With, ast.If)):
            for item in getattr(parent, "items", ()):
                call_ = item.context_expr
                if isinstance(call_, ast.Call) and self._scopes.resolve(call_.func) in (
                    roles.SCOPES
                ):
                    return None
            parent = self._scopes.parents[parent]
        target = statement.targets[0].id
        owner = self._scopes.find_scope(statement)
        if isinstance(parent, ast.Module) and len(owner.bindings.get(target, [])) == 1:
            return target
        return None


def _asks_only(call: ast.Call, symbol: str) -> bool:
    """Whether it is `tf.get_variable("w")`, of a variable that was made before."""
    return symbol == "tf.get_variable" and len(call.args) + len(call.keywords) == 1
