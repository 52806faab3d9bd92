"""What an expression of a step makes once: variables, and numbers drawn by Python."""

from __future__ import annotations

import ast
import re

from migrate.facts import effects, names
from migrate.program import ir
from migrate.program.binding_time.lists import Lists
from migrate.program.ir import Kind, Lift, code
from migrate.tables import roles
from migrate.tables.recurrent import CELLS, WRAPPERS
from migrate.tables.worker_state import GENERATORS


class Lifts(Lists):
    """Lifts creations out of step-time statements."""

    def _lift_creations(self, statement: ast.stmt) -> None:
        """`tf.matmul(x, tf.get_variable("w", ...))`: the variable is made at build time."""
        lifted = {n for lift in self._lifts for n in ast.walk(lift.node)}
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if node in lifted or isinstance(node, ast.Lambda):
                continue
            if not (isinstance(node, ast.Call) and self._creates_variable(node)):
                work.extend(ast.iter_child_nodes(node))
                continue
            if self.scopes.resolve(node.func) in CELLS:
                name = self.fresh("cell", "recurrent_cell")
                self._lifts.append(Lift(node, name, code(node), code(name)))
                continue
            literals = [
                value
                for argument in [*node.args, *[k.value for k in node.keywords]]
                if isinstance(value := names.literal(argument), str)
            ]
            wish = re.sub(r"\W", "_", literals[0]) if literals else "variable"
            full = self.full_name(literals[0] if literals else None)
            if full is not None and self.scopes.resolve(node.func) is None:
                full = f"{full} of {ast.unparse(node)}"  # Of a helper function's call.
            shared = self.created.get(full or "") if self.reusing else None
            name = shared or self.fresh(wish, f"{wish}_variable")
            if full is not None:
                self.created[full] = name
            create = code() if shared else code(node)
            self._lifts.append(Lift(node, name, create, code(name)))

    def _lift_draws(self, statement: ast.stmt) -> None:
        """Numbers drawn by Python: once, as the graph was built once."""
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if isinstance(node, (ast.Lambda, ast.comprehension)):
                continue
            if isinstance(node, ast.Call) and (
                self._draws(node)
                or (
                    effects.consumes(node)
                    and self.quietly(node) not in (*ir.STEP_KINDS, Kind.VARIABLE)
                    and not self._changes_graph_list(node)
                )
            ):
                name = self.fresh("drawn")
                self._lifts.append(Lift(node, name, code(node), code(name)))
                continue
            work.extend(ast.iter_child_nodes(node))

    def _changes_graph_list(self, call: ast.Call) -> bool:
        """`pairs.pop()` of what a step makes."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        kind = self.environment.get(names.key(base) or "") if base is not None else None
        return kind in (*ir.STEP_KINDS, Kind.VARIABLE)

    def _draws_in(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(node, ast.Call) and self._draws(node)
            for node in ast.walk(statement)
        )

    def _draws(self, call: ast.Call) -> bool:
        path = self.scopes.dotted(call.func) or ""
        return any(path.startswith(f"{module}.") for module in GENERATORS)

    def _check_repeated(self) -> None:
        """What is made for every element of a list would be made once."""
        for lift in self._lifts:
            node: ast.AST = lift.node
            if isinstance(node, ast.Call):
                times = self._user_function(node)
                if times is not None and times.reuses:
                    continue  # It was made once in TF1, too.
            while lift.create.parts and isinstance(node, ast.expr):
                node = self.scopes.parents[node]
                if isinstance(node, ast.comprehension) or hasattr(node, "generators"):
                    self.diagnostics.refuse(
                        "N109",
                        lift.node,
                        "variables or layers made in a comprehension",
                        "Make them in a `for` loop.",
                    )
                    break

    def _creates_variable(self, call: ast.Call) -> bool:
        symbol = self.scopes.resolve(call.func)
        if symbol in roles.VARIABLES or (symbol in CELLS and symbol not in WRAPPERS):
            return True
        times = self._user_function(call)
        return (
            times is not None
            and times.creates
            and not times.staged
            and times.kind is Kind.VARIABLE
        )
