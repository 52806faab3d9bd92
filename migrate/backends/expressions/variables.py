"""Variables: get_variable, initial values, scopes, collections, the global step."""

from __future__ import annotations

import ast

from migrate.backends.expressions.graph_code import GraphCode
from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.plan import Dropped
from migrate.program import ir
from migrate.program.code import Code, join_code, make_code
from migrate.tables import contrib_graph, roles
from migrate.tables.unsupported import VARIABLE_OPTIONS

_GET_VARIABLE = (
    "name",
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "trainable",
    "collections",
    "caching_device",
    "partitioner",
    "validate_shape",
    "use_resource",
    "custom_getter",
    "constraint",
)
# Dtypes whose variables have the initial value zero if none is given.
_WHOLE = frozenset(
    {f"tf.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    | {"tf.bool"}
)


_LISTS = {
    "tf.GraphKeys.TRAINABLE_VARIABLES": "trainable",
    "tf.GraphKeys.GLOBAL_VARIABLES": "global",
}


class Variables(GraphCode):
    """Plans the code that makes and lists variables."""

    def _rewrite_variable_scope(self, call: ast.Call) -> None:
        name = names.find_argument(call, "name_or_scope", 0)
        default = names.find_argument(call, "default_name", 1)
        if name is None or (isinstance(name, ast.Constant) and name.value is None):
            name, default = default, None
        if name is None:
            self.diagnostics.refuse(
                "V103",
                call,
                "the variable scope has no name",
                'Give the scope a name: tf.variable_scope("name"). Or remove the '
                "scope.",
            )
            return
        self.claimed[call] = ("V104", "tf.name_scope; sharing is resolved by name")
        numbered = self.program.scope_numbers.get(call)
        opened = make_code(f'"{numbered}"') if numbered else make_code(name)
        if default is not None and self._may_be_none(name):
            opened = make_code(default, " if ", name, " is None else ", name)
        self.plan.replace(call, make_code("tf.name_scope(", opened, ")"))

    def _may_be_none(self, name: ast.expr) -> bool:
        """Whether a scope's name may be None, so that TF1 took the default name."""
        if not isinstance(name, (ast.Name, ast.Attribute, ast.Subscript)):
            return False
        owner = names.find_key(name)
        bound = (
            self.scopes.find_scope(name).find_owner(owner)
            if owner is not None
            else None
        )
        made = bound.bindings.get(owner or "", []) if bound is not None else []
        return not made or not all(
            isinstance(b, ast.Assign) and isinstance(names.read_literal(b.value), str)
            for b in made
        )

    def _get_variable(self, call: ast.Call, scopes: list[ast.Call]) -> None:
        shared = self.program.shared.get(call)
        if shared is not None:
            self.claimed[call] = ("V104", f"the variable that `{shared}` is")
            self.plan.replace(call, make_code(shared))
            return
        bound = names.bind_arguments(call, _GET_VARIABLE)
        if bound is None or "name" not in bound:
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this variable's arguments apart",
                "Pass them by keyword.",
                "tf.get_variable",
            )
            return
        for unsupported, recipe in VARIABLE_OPTIONS.items():
            value = bound.get(unsupported)
            if value is not None and not (
                isinstance(value, ast.Constant) and value.value is None
            ):
                self.diagnostics.refuse(
                    "V103",
                    call,
                    f"the tool does not carry over get_variable({unsupported}=...)",
                    recipe,
                    "tf.get_variable",
                )
        parts: list[Code] = [
            self._write_initial_value(call, bound, scopes),
            make_code("name=", bound["name"]),
        ]
        if "trainable" in bound:
            parts.append(make_code("trainable=", bound["trainable"]))
        self.claimed[call] = ("V104", "tf.Variable under the strategy's scope")
        self.plan.replace(call, make_code("tf.Variable(", join_code(", ", parts), ")"))

    def _write_initial_value(
        self, call: ast.Call, bound: dict[str, ast.expr], scopes: list[ast.Call]
    ) -> Code:
        initializer = bound.get("initializer")
        if initializer is None or (
            isinstance(initializer, ast.Constant) and initializer.value is None
        ):
            initializer = next(
                (
                    found
                    for scope in reversed(scopes)
                    if (found := names.find_argument(scope, "initializer", 3))
                    is not None
                    and not (isinstance(found, ast.Constant) and found.value is None)
                ),
                None,
            ) or self.defaults.find(call)
        shape = bound.get("shape")
        dtype: Code = (
            make_code(bound["dtype"]) if "dtype" in bound else make_code("tf.float32")
        )
        if shape is None:
            if initializer is None:
                self.diagnostics.refuse(
                    "N105",
                    call,
                    "this get_variable gives no shape, so it asks for a variable "
                    "that was made elsewhere",
                    "Keep the variable in a Python name, and use that name here.",
                    "tf.get_variable",
                )
                return make_code()
            return make_code(
                initializer
            )  # In TF1, without a shape it is the value itself.
        made: Code
        if initializer is None and self._is_whole(bound.get("dtype")):
            made = make_code("tf.compat.v1.zeros_initializer()")
        elif initializer is None:
            made = make_code("tf.compat.v1.glorot_uniform_initializer()")
        elif self._is_initializer_class(initializer):
            made = make_code(initializer, "()")
        else:
            made = make_code(initializer)
        return make_code(made, "(", shape, ", dtype=", dtype, ")")

    def _is_whole(self, dtype: ast.expr | None) -> bool:
        """Whether a dtype's variables were zero by default in TF1: integers and bool."""
        if isinstance(dtype, ast.Constant) and isinstance(dtype.value, str):
            symbol = f"tf.{dtype.value}"
        else:
            symbol = (self.scopes.resolve(dtype) if dtype is not None else None) or ""
        return symbol in _WHOLE

    def _is_initializer_class(self, node: ast.expr) -> bool:
        symbol = self.scopes.resolve(node)
        return symbol is not None and roles.is_initializer(symbol)

    def _rewrite_global_step(self, call: ast.Call) -> None:
        parent = self.scopes.parents.get(call)
        symbol = self.scopes.resolve(call.func)
        self.claimed[call] = ("V104", "the step counter, under TF1's name")
        in_driver = self._is_in_driver(call)
        if (
            isinstance(parent, ast.Assign)
            and not self.created_step
            and in_driver
            and not (symbol or "").endswith("get_global_step")
        ):
            self.created_step = True
            self.plan.replace(call, make_code("training_session.create_global_step()"))
        elif isinstance(parent, ast.Expr):  # Made where the scope begins.
            self.plan.statements[parent] = [Dropped(parent)]
        elif in_driver or self._is_in_session(call):
            self.plan.replace(call, make_code("replicas.global_step"))
        else:
            self.diagnostics.refuse(
                "N105",
                call,
                f"{ir.IN_HELPER} asks the graph for the global step",
                "Pass the step variable to the function.",
                symbol or "",
            )

    def _drop_counter(self, call: ast.Call, symbol: str) -> None:
        """Drops `tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, step)`."""
        self.claimed[call] = self.claimed[call.args[0]] = (
            "V104",
            "the step counter, under its own name",
        )
        if not self._is_in_driver(call):
            self.diagnostics.refuse(
                "N105",
                call,
                f"{ir.IN_HELPER} asks the graph for the global step",
                "Pass the step variable to the function.",
                symbol,
            )
        self.plan.replace(call, make_code("replicas.count_in(", call.args[1], ")"))

    def _report_order(self, call: ast.Call, symbol: str, which: str) -> None:
        """Refuses or reports uses of a list that has another order in TF2."""
        if self.lists.goes_by_place(call):
            self.diagnostics.refuse(
                "N105",
                call,
                f"the program takes a variable by its place among all {which} ones. "
                "Layers and optimizers make their variables in the first step, "
                "after all others, so the place may change",
                "Choose the variable by its name: [v for v in variables if v.name "
                '== "..."].',
                symbol,
            )
        elif self.lists.is_computed(call):
            self.diagnostics.refuse(
                "N105",
                call,
                f"the program puts all {which} variables together in their order. "
                "Layers and optimizers make their variables in the first step, "
                "after all others, so the order changes",
                "Sort the list by name: sorted(variables, key=lambda v: v.name).",
                symbol,
            )
        elif self.lists.is_shown(call):
            finding = Finding(
                call.lineno,
                call.col_offset + 1,
                "V104",
                Outcome.WARNED,
                symbol,
                f"the program shows replicas.{which}_variables in the order in which "
                "TensorFlow 2 makes them: those of layers and optimizers come after all "
                "others",
                "If the order matters, sort the list by name: sorted(variables, "
                "key=lambda v: v.name).",
            )
            if finding not in self.diagnostics.findings:
                self.diagnostics.findings.append(finding)

    def _check_fed_inside(self) -> None:
        """Checks that no run trains variables behind a tensor that it feeds."""
        for fed in self.program.fed_inside:
            if not (
                all(self._is_made_under(name, fed.call) for name in fed.behind)
                and all(self._trains_others(u, fed) for u in fed.updates)
            ):
                self.diagnostics.refuse(
                    "S107", fed.call, ir.FED_INSIDE, ir.FED_INSIDE_RECIPE
                )

    def _trains_others(self, update: ir.Update, fed: ir.FedInside) -> bool:
        """Whether an update's variables are known, and are not those behind the tensor."""
        trained, behind = update.variables, fed.behind
        listed = self.lists.find_listing(trained) if trained is not None else None
        if isinstance(trained, (ast.List, ast.Tuple)):
            keys = [names.find_key(e) for e in trained.elts]
            return (
                all(
                    key in self.program.singles
                    and key not in behind
                    and self._is_made_under(key, fed.call)
                    for key in keys
                    if key is not None
                )
                and None not in keys
            )
        if not isinstance(listed, ast.Call):
            return False
        which = "global" if self.lists.has_every(listed) else "trainable"
        made = self.by_then.find(listed, which, self.by_then.find_scope(listed))
        return bool(made) and behind.isdisjoint(m.name for m in made)

    def _is_made_under(self, name: str, at: ast.AST) -> bool:
        """Whether a name's variables were made under that name alone."""
        owner = self.scopes.find_scope(at).find_owner(name)
        bound = owner.bindings.get(name, []) if owner is not None else []
        if not bound:
            return "." not in name  # A layer that the program never named.
        made = bound[0].value if isinstance(bound[0], ast.Assign) else None
        return (
            len(bound) == 1
            and isinstance(made, ast.Call)
            and made not in self.program.shared
            and (self.scopes.resolve(made.func) or "").startswith("tf.")
        )

    def _list_by_then(self, call: ast.Call, which: str, scope: ast.expr | None) -> bool:
        """Whether a list is written as a list of the objects that made its variables.

        That is not needed if TF2's list is the same.
        """
        same = which == "trainable" or self.lists.is_complete(call)
        ordered = self.lists.is_in_order(which) or not (
            self.lists.goes_by_place(call) or self._needs_order(which)
        )
        if same and ordered and call not in self.program.early_lists:
            return False
        if not self._is_in_driver(call):
            return False
        made = self.by_then.find(call, which, scope)
        if not made or not self.lists.is_of_its_step(call, {m.flow for m in made}):
            return False
        self.claimed[call] = ("V104", "the variables that there are by then")
        self.plan.replace(call, self.by_then.write(made, which))
        return True

    def _needs_order(self, which: str) -> bool:
        """Whether the order of any list matters, and the tool knows the order of all.

        Values of one list may belong to the variables of another.
        """
        if which not in self._orders:
            lists = [
                (call, self.by_then.find_scope(call))
                for call in self.scopes.walk()
                if isinstance(call, ast.Call) and self._find_listed(call) == which
            ]
            self._orders[which] = any(
                self.lists.needs_order(call) for call, _ in lists
            ) and all(self.by_then.find(call, which, scope) for call, scope in lists)
        return self._orders[which]

    def _find_listed(self, call: ast.Call) -> str | None:
        """Which variables a call lists: "trainable" or "global"."""
        symbol = self.scopes.resolve(call.func)
        if symbol == "tf.get_collection" and call.args:
            return _LISTS.get(self.scopes.resolve(call.args[0]) or "")
        if symbol in roles.TRAINABLE:
            return "trainable"
        return "global" if symbol in roles.GLOBAL else None

    def _rewrite_collection(self, call: ast.Call, symbol: str) -> None:
        if call in self.claimed:
            return  # As a Saver's.
        if symbol == "tf.get_collection":
            key = self.scopes.resolve(call.args[0]) if call.args else None
            if key == "tf.GraphKeys.UPDATE_OPS":
                self.claimed[call] = (
                    "S117",
                    "Keras layers update their moving averages when they are called",
                )
                self.claimed[call.args[0]] = self.claimed[call]
                if self.graph.used:
                    module = contrib_graph.FRAMEWORK_MODULE
                    self.plan.support.update(contrib_graph.FILES[module])
                    self.plan.imports.append(f"import {module}")
                    self.plan.replace(call, make_code(f"{module}.updates()"))
                    return
                self.plan.replace(call, make_code("[]"))
                return
            if key not in _LISTS:
                if self.graph.used:
                    self._keep_in_compat(call.func, symbol)
                return
            which = _LISTS[key]
            self.claimed[call.args[0]] = ("V104", f"replicas.{which}_variables")
        else:
            which = "global" if symbol in roles.GLOBAL else "trainable"
        self.claimed[call] = ("V104", f"replicas.{which}_variables")
        scope = self.by_then.find_scope(call)
        if self._list_by_then(call, which, scope):
            return
        if not self.lists.is_in_order(which):
            self._report_order(call, symbol, which)
        if call in self.program.early_lists:
            self.diagnostics.refuse(
                "N105",
                call,
                "this lists the variables that exist by then, but layers make "
                "their variables in the first step",
                "Make the list after all layers and variables, and choose from it "
                "by name.",
                symbol,
            )
        elif which == "global" and not self.lists.is_complete(call):
            self.diagnostics.refuse(
                "N105",
                call,
                "this lists all variables. In TensorFlow 1 the optimizer or layers "
                "may have made theirs before this line. In TensorFlow 2 they make "
                "them in the first step",
                "Make the list when the session is open, or list only the "
                "trainable variables.",
                symbol,
            )
        if which == "trainable" and not self.lists.is_of_its_step(call):
            self.diagnostics.refuse(
                "N105",
                call,
                "a step takes this list, but layers that another step calls make "
                "their variables there. So the list would have other variables "
                "than in TensorFlow 1",
                "Make the variables of those layers by tf.get_variable. They then "
                "exist before any step.",
                symbol,
            )
        if not self._is_in_driver(call):
            asked = f"all {which} variables"
            if names.is_given(scope):
                asked = f"the {which} variables of a scope"
            self.diagnostics.refuse(
                "N105",
                call,
                f"{ir.IN_HELPER} asks the graph for {asked}",
                "Pass the variables to the function.",
                symbol,
            )
        if scope is None or names.is_none_constant(scope):
            self.plan.replace(call, make_code(f"replicas.{which}_variables"))
        else:
            self.plan.replace(call, make_code(f"replicas.{which}_in(", scope, ")"))
