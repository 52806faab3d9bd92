"""Plans savers and scaffolds."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends import moving_averages
from migrate.backends.expressions.partitioners import Partitioners
from migrate.facts import init_functions, initial_operations, names
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles, scaffolds

# Arguments that mean the same, and arguments without an effect.
_KEPT = (
    *("reshape", "max_to_keep", "keep_checkpoint_every_n_hours", "pad_step_number"),
    "save_relative_paths",
)
_IGNORED = ("sharded", "write_version", "name", "allow_empty", "restore_sequentially")
_DOES_MORE = (
    "`{}` does more than initialise, and a migrated program initialises what it makes "
    "without an operation"
)
_RECIPE_OF_OPERATIONS = (
    "Run the operation by the session, before the loop, in the chief. Or give the "
    "variables these values as their initializers."
)
_FEWER_SUMMARIES = "`summary_op` is not the merge of all summaries"
_RECIPE_OF_SUMMARIES = (
    "Leave it out, and add a hook: tf.train.SummarySaverHook(save_secs=120, "
    "output_dir=..., summary_op=...)."
)
_RECIPE_OF_FUNCTIONS = "Write in Python, before the session, what init_fn did."
_OLD_FORMAT = "tf.train.SaverDef.V1"
_TRAINABLE = "tf.GraphKeys.TRAINABLE_VARIABLES"


class Savers(Partitioners):
    """Plans the code that writes checkpoints."""

    def _rewrite_saver(self, call: ast.Call) -> None:
        known = ("var_list", *_KEPT, *_IGNORED)
        unknown = [k.arg for k in call.keywords if k.arg not in known]
        version = names.find_argument(call, "write_version")
        if version is not None and self.scopes.resolve(version) == _OLD_FORMAT:
            unknown.append("write_version")
        if unknown or len(call.args) > 1:
            self.diagnostics.refuse(
                "V111",
                call,
                f"Saver({', '.join(f'{name}=...' for name in unknown)})"
                if unknown
                else "arguments by place after the list of variables",
                "Leave out the arguments that TensorFlow 2 does not need, and pass "
                "the others by keyword.",
                "tf.train.Saver",
            )
            return
        earlier: list[ast.Name] | None = []
        chosen = names.find_argument(call, "var_list", 0)
        if isinstance(chosen, ast.Constant) and chosen.value is None:
            chosen = None
        if isinstance(chosen, ast.Call) and not (chosen.args or chosen.keywords):
            if self.scopes.resolve(chosen.func) in (
                "tf.global_variables",
                "tf.all_variables",
            ):
                self.claimed[chosen] = ("V112", "all variables: the default")
                chosen = None
        listed = self.lists.find_listing(chosen) if chosen is not None else None
        if listed is None and chosen is not None:
            listed = moving_averages.find_variables_to_restore(
                chosen, self.program, self.scopes
            )
            chosen = chosen if listed is None else None
        if chosen is None and listed is None:
            earlier = self._list_earlier(call)
            if earlier is None:
                return
        written: ast.expr | Code | None = listed
        if chosen is not None and listed is not None and self._is_in_driver(call):
            # It is listed anew at each save, so its conditions must not change.
            sources = self.lists.find_sources(listed)
            early = any(self._is_early(call, one) for one in (listed, *sources))
            if not early and self.lists.is_steady(listed):
                if not self.lists.has_other_uses(chosen):
                    self._claim_lists(listed)
                if isinstance(chosen, ast.Name) or self.lists.goes_through_name(listed):
                    written = self._write_list(listed)
                chosen = None
        named = chosen is None or (
            self._is_in_driver(call) and self._lists_variables(chosen)
        )
        if not named:
            self.diagnostics.refuse(
                "V111",
                call,
                "the tool cannot tell which variables this Saver has",
                "List the variables by their names in the program: "
                'tf.train.Saver([w, b]) or tf.train.Saver({"weights": w}).',
                "tf.train.Saver",
            )
            return
        parts = [
            make_code(f"{k.arg}=", k.value) for k in call.keywords if k.arg in _KEPT
        ]
        if chosen is not None:
            parts.insert(0, make_code(chosen))
        elif earlier:
            parts.insert(
                0,
                make_code(
                    "[", join_code(", ", [make_code(name) for name in earlier]), "]"
                ),
            )
        elif written is not None:
            parts.insert(0, make_code("lambda: ", written))
        self.claimed[call] = ("V112", "training_session.Saver, TF1's checkpoint format")
        self.plan.replace(
            call, make_code("training_session.Saver(", join_code(", ", parts), ")")
        )

    def _list_earlier(self, call: ast.Call) -> list[ast.Name] | None:
        """Returns the variables of a Saver that TF1 made before others; [] if it has all.

        Returns None, with a refusal, if they cannot be told one by one.
        """
        made = self.later.find(call)
        if made is None:
            return []
        found = self.later.find_earlier(call) if self._is_in_driver(call) else None
        if found and self._are_variables(found):
            return found
        self.diagnostics.refuse(
            "V111",
            call,
            f"this Saver is made before other variables (line {made.lineno}). "  # type: ignore[attr-defined]
            "TensorFlow 1 neither saved nor restored these with it",
            "Make the Saver after all variables. Or list its variables by their "
            "names in the program: tf.train.Saver([w, b]) or "
            'tf.train.Saver({"weights": w}).',
            "tf.train.Saver",
        )
        return None

    def _is_early(self, call: ast.Call, listed: ast.expr) -> bool:
        """Whether a list lacks variables that are made after it, which ours would have."""
        if self.lists.is_early(call, listed):
            return True
        return self.later.find(listed, not self.lists.has_every(listed)) is not None

    def _write_list(self, listed: ast.expr) -> Code:
        """Writes a list of variables as code of its own, independent of the program's list."""
        found = self.lists.find_listing(listed)
        if isinstance(found, ast.BinOp):
            return make_code(
                self._write_list(found.left), " + ", self._write_list(found.right)
            )
        if isinstance(found, (ast.ListComp, ast.DictComp)):
            (part,) = found.generators
            value = (
                make_code(found.elt)
                if isinstance(found, ast.ListComp)
                else make_code(found.key, ": ", found.value)
            )
            opening, closing = "[]" if isinstance(found, ast.ListComp) else "{}"
            loop = make_code(" for ", part.target, " in ", self._write_list(part.iter))
            conditions = [make_code(" if ", condition) for condition in part.ifs]
            return make_code(opening, value, loop, *conditions, closing)
        if isinstance(found, ast.Call):
            which, scope = self._read_call(found)
            if scope is not None:
                return make_code(f"replicas.{which}_in(", scope, ")")
            return make_code(f"replicas.{which}_variables")
        return make_code(listed)

    def _read_call(self, call: ast.Call) -> tuple[str, ast.expr | None]:
        """Returns whether a call lists "trainable" or "global" variables, and its scope."""
        symbol = self.scopes.resolve(call.func) or ""
        by_key = symbol == "tf.get_collection"
        is_global = symbol in roles.GLOBAL or (
            by_key and self.scopes.resolve(call.args[0]) != _TRAINABLE
        )
        scope = names.find_argument(call, "scope", int(by_key))
        return "global" if is_global else "trainable", scope

    def _claim_lists(self, listed: ast.expr) -> None:
        """Rewrites lists of variables that are read when they are saved."""
        for node in walk_breadth_first(listed):
            if not isinstance(node, ast.Call):
                continue
            symbol = self.scopes.resolve(node.func) or ""
            position = int(symbol == "tf.get_collection")
            if symbol not in roles.TRAINABLE | roles.GLOBAL and not position:
                continue
            which, scope = self._read_call(node)
            self.claimed[node] = ("V104", f"replicas.{which}_variables")
            if position:
                self.claimed[node.args[0]] = self.claimed[node]
            if scope is None:
                self.plan.replace(node, make_code(f"replicas.{which}_variables"))
            else:
                self.plan.replace(node, make_code(f"replicas.{which}_in(", scope, ")"))

    def _lists_variables(self, chosen: ast.expr) -> bool:
        """Whether a `var_list` lists variables by their names in the program."""
        if isinstance(chosen, ast.Dict):
            return self._are_variables(chosen.values)
        if isinstance(chosen, (ast.List, ast.Tuple, ast.Set)):
            return self._are_variables(chosen.elts)
        return False

    def _are_variables(self, elements: Sequence[ast.expr]) -> bool:
        in_steps = {
            name
            for flow in list_every_flow(self.program.flows)
            if flow.step and not flow.suites
            for name in flow.binds
        }
        return bool(elements) and all(
            self.program.kinds.get(names.find_key(element) or "") is Kind.VARIABLE
            and names.find_key(element)
            not in in_steps  # Given beside what is computed.
            for element in elements
        )

    def _rewrite_scaffold(self, call: ast.Call) -> None:
        refused = self._find_refused_argument(call)
        if refused is not None:
            self.diagnostics.refuse("N120", call, *refused, "tf.train.Scaffold")
            return
        parts = [
            make_code(f"{k.arg}=", k.value)
            for k in call.keywords
            if k.arg in ("saver", "init_fn")
        ]
        self.claimed[call] = ("S115", "training_session.Scaffold")
        self.plan.replace(
            call, make_code("training_session.Scaffold(", join_code(", ", parts), ")")
        )

    def _find_refused_argument(self, call: ast.Call) -> tuple[str, str] | None:
        """An argument of a Scaffold that nothing stands for: the reason and the recipe."""
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if call.args or None in given:
            return "Scaffold(...)", "Write its arguments out, by their names."
        for name, value in given.items():
            if name in scaffolds.OPERATIONS:
                if initial_operations.does_more(value, name, self.scopes):
                    return _DOES_MORE.format(name), _RECIPE_OF_OPERATIONS
            elif name == "summary_op":
                if initial_operations.does_more(value, name, self.scopes):
                    return _FEWER_SUMMARIES, _RECIPE_OF_SUMMARIES
            elif name == "init_feed_dict":
                if initial_operations.feeds_first_values(value, self.scopes):
                    return f"Scaffold({name})", _RECIPE_OF_FUNCTIONS
            elif name == "init_fn":
                if not init_functions.restores_only(value, self.scopes):
                    return f"Scaffold({name})", _RECIPE_OF_FUNCTIONS
            elif name != "saver":
                return f"Scaffold({name})", _RECIPE_OF_FUNCTIONS
        return None
