"""Reads how a model's variables get first values: init_from_checkpoint, init_fn.

    variables = slim.get_variables_to_restore(exclude=["head"])
    restore = slim.assign_from_checkpoint_fn(path, variables)
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: restore(session))

These statements are no part of a step. They become methods of the model, and run after
it is built. So they must list variables only when the model_fn has made all of its own.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Callable, Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.estimators import scaffolds
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.grown import find_changes
from migrate.frontends.model_fn.messages import is_message
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight, is_none
from migrate.frontends.model_fn.slices import find_closure
from migrate.program.keras_model import Hooks
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_MODULES = table.LIBRARIES | {"re", "json", "copy", "glob", "logging", "absl"}
# Attributes of a session or a variable that do more than restore.
_RUNS = frozenset({"run", "eval", "load", "assign", "initializer", "graph", "op_scope"})
# Statements that only bind names: they may stand in a step as well.
_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign)


@dataclasses.dataclass(eq=False)
class FirstValues:
    """The statements that give first values, which the modes no longer have.

    Attributes:
      hooks: methods of the model.
      folded: what the mode decides in them.
    """

    hooks: list[Hooks] = dataclasses.field(default_factory=list)
    folded: dict[ast.AST, ast.expr | str] = dataclasses.field(default_factory=dict)
    # Unit of training -> its place among the units.
    _places: dict[ast.stmt, int] = dataclasses.field(default_factory=dict)
    _scopes: Scopes | None = None
    _function: ast.FunctionDef | None = None

    def check(
        self,
        known: set[str],
        makes_layers: Callable[[ast.AST], bool],
        line: Iterable[Unit],
        applied: ast.Call,
    ) -> list[Hooks]:
        """Returns the methods, after a check that the model can run them.

        Args:
          known: names of what the model is made with.
          line: what training runs beside them.
          applied: the call that updates the variables.

        Raises:
          NotSplit: they depend on tensors, or list variables before all are made.
        """
        if not self.hooks:
            return []
        assert self._scopes is not None
        makers = [
            self._places[unit.statement]
            for unit in line
            if unit.statement in self._places
            and (
                makes_layers(unit.statement)
                or table.VARIABLE in _find_symbols(unit.statement, self._scopes)
            )
        ]
        found = []
        for one in self.hooks:
            kind = one.kind
            self._check_names(one, known)
            listing = list(self._find_listings(one, table.LISTS))
            for node, place in listing:
                if place is not None and place < max(makers, default=-1):
                    raise NotSplit(
                        node, "it lists variables before it has made all of them"
                    )
            before = [n for n, _ in listing if n.lineno < applied.lineno]
            if kind == "training_scaffold" and before:
                kind = "initial_scaffold"
            after = [
                n
                for n, _ in self._find_listings(one, table.LISTS_ALL)
                if n.lineno > applied.lineno
            ]
            if after and kind in ("initial_scaffold", *_STARTING):
                raise NotSplit(
                    after[0],
                    "its list of variables contains those of the optimizer, too",
                )
            found.append(dataclasses.replace(one, kind=kind))
        return found

    def _check_names(self, hooks: Hooks, known: set[str]) -> None:
        """Fails if they read what is none of their own."""
        assert self._scopes is not None and self._function is not None
        own = self._scopes.scope_by_node[self._function]
        bound = {n for unit in hooks.made for n in names.find_binds(unit.statement)}
        gone = {
            inner
            for node, value in self.folded.items()
            for inner in walk_breadth_first(node)
            if isinstance(value, str) or inner not in set(walk_breadth_first(value))
        }
        for outer in hooks.nodes:
            for node in walk_breadth_first(outer):
                if not isinstance(node, ast.Name) or node.id in bound | known:
                    continue
                if node in gone:
                    continue
                if self._scopes.find_scope(node).find_owner(node.id) is own:
                    raise NotSplit(
                        node, "a step computes the initial values of its variables"
                    )

    def _find_listings(
        self, hooks: Hooks, symbols: frozenset[str]
    ) -> Iterator[tuple[ast.stmt | ast.expr, int | None]]:
        """Code that lists variables, and where it stood in training; None for the end."""
        assert self._scopes is not None
        for unit in hooks.made:
            if isinstance(unit.statement, ast.FunctionDef):
                continue  # Called later.
            if _find_symbols(unit.statement, self._scopes) & symbols:
                yield unit.statement, self._places.get(unit.statement)
        if (
            hooks.value is not None
            and _find_symbols(hooks.value, self._scopes) & symbols
        ):
            yield hooks.value, None


_STARTING = ("initial_values", "initial_training_values")


def take_first_values(
    function: ast.FunctionDef,
    lines: dict[str, Straight],
    specs: dict[str, dict[str, ast.expr]],
    values: dict[str, ModeValues],
    scopes: Scopes,
    built: frozenset[str],
) -> FirstValues:
    """Finds these statements, and takes them off the lines and specs.

    Args:
      built: names of dictionaries and lists that statements add to.

    Raises:
      NotSplit: they do more than restore, or something else reads what they bind.
    """
    places = {u.statement: i for i, u in enumerate(lines["TRAIN"].units)}
    found = FirstValues(_places=places, _scopes=scopes, _function=function)
    starting: dict[str, list[Unit]] = {}
    for mode in lines:
        made = _find_start_statements(lines[mode].units, scopes, built)
        if made:
            starting[mode] = made
    if starting:
        found.hooks.append(_read_starts(starting, lines, values, found))
    gone = {mode: list(units) for mode, units in starting.items()}
    for mode, spec in specs.items():
        kind = next((k for k in spec if k.endswith("scaffold")), None)
        if kind is None:
            continue
        value, units = spec[kind], lines[mode].units
        made = _slice_needed_units(units, value, built)
        nodes = [value, *(unit.statement for unit in made)]
        if (
            isinstance(value, ast.Name)
            and made
            and all(is_none(unit.statement) for unit in made)
        ):
            del spec[kind]  # Another mode has one.
            gone[mode] = [*gone.get(mode, []), *made]
            continue
        known = [s for node in nodes for s in _find_scaffolds(node, scopes)]
        if not any("init_fn" in one.kept for one in known):
            continue
        _check(nodes, known, scopes)
        del spec[kind]
        gone[mode] = [*gone.get(mode, []), *made]
        if mode != "EVAL" or any("saver" in one.kept for one in known):
            # Evaluation restores a checkpoint.
            found.hooks.append(Hooks(kind, tuple(made), value, (), ()))
            for node in nodes:
                found.folded |= values[mode].fold_code(node)
    for mode, units in gone.items():
        _take(lines[mode], units, specs[mode])
    return found


def _read_starts(
    starting: dict[str, list[Unit]],
    lines: dict[str, Straight],
    values: dict[str, ModeValues],
    found: FirstValues,
) -> Hooks:
    """Makes the method that starts from a checkpoint, always or only in training."""
    statements = {m: [u.statement for u in units] for m, units in starting.items()}
    trained = statements.get("TRAIN")
    predicted = statements.get("PREDICT")
    first = next(iter(starting.values()))[0].statement
    # Evaluation always restores a checkpoint, so there it changes nothing.
    if trained is None or predicted not in (None, trained):
        raise NotSplit(
            first, "its variables have different initial values in different modes"
        )
    for statement in trained:
        folded = values["TRAIN"].fold_code(statement)
        if predicted and folded != values["PREDICT"].fold_code(statement):
            raise NotSplit(
                statement,
                "its variables have different initial values in different modes",
            )
        found.folded |= folded
    alone = "PREDICT" in lines and predicted is None
    kind = _STARTING[alone]
    return Hooks(kind, tuple(starting["TRAIN"]), None, (), ())


def _find_start_statements(
    units: list[Unit], scopes: Scopes, built: frozenset[str]
) -> list[Unit]:
    """Finds the statements that start from a checkpoint, need that, or log it."""
    wanted = [
        u
        for u in units
        if not isinstance(u.statement, _PLAIN)
        and (
            _find_symbols(u.statement, scopes) & table.STARTS
            or _tells_only(u.statement, scopes)
        )
    ]
    if not wanted:
        return []
    made = find_closure(units, wanted, built)
    _check([unit.statement for unit in made], [], scopes)
    return made


def _tells_only(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a loop over variables only says something of them."""
    if not isinstance(statement, ast.For):
        return False
    if not _find_symbols(statement, scopes) & (table.LISTS | {"tf.logging.info"}):
        return False
    said = False
    for inner in walk_breadth_first(statement):
        if isinstance(inner, ast.stmt) and not isinstance(
            inner, (ast.For, ast.If, ast.Assign, ast.AugAssign, ast.Continue, ast.Pass)
        ):
            if not is_message(inner, scopes):
                return False
            said = True
    targets = [n for n in walk_breadth_first(statement) if isinstance(n, ast.Assign)]
    return said and all(isinstance(t, ast.Name) for n in targets for t in n.targets)


def _slice_needed_units(
    units: list[Unit], value: ast.expr, built: frozenset[str]
) -> list[Unit]:
    """Units that an expression needs, in order; of branches each."""
    read, found = names.find_reads(value), []
    for unit in reversed(units):
        if find_changes(unit.statement, built) & read:
            found.append(unit)
            read = read | names.find_reads(unit.statement)
    return list(reversed(found))


def _find_scaffolds(node: ast.AST, scopes: Scopes) -> list[scaffolds.Scaffold]:
    return [
        scaffolds.read(inner, scopes)
        for inner in walk_breadth_first(node)
        if isinstance(inner, ast.Call) and scopes.resolve(inner.func) == table.SCAFFOLD
    ]


def _take(line: Straight, units: list[Unit], spec: dict[str, ast.expr]) -> None:
    """Takes units off a line, but for plain ones that others read."""
    rest = [u for u in line.units if u not in units]
    results = list(spec.values())
    for unit in reversed(units):
        read = {n for r in rest for n in names.find_reads(r.statement)}
        read |= {n for node in results for n in names.find_reads(node)}
        others = names.find_binds(unit.statement) & read
        if others and isinstance(unit.statement, _PLAIN):
            rest.append(unit)
        elif others:
            raise NotSplit(
                unit.statement,
                f"other code also reads `{sorted(others)[0]}`, which is used to "
                "restore variables",
            )
    line.units = [u for u in line.units if u in rest]


def _check(
    nodes: list[ast.AST], known: list[scaffolds.Scaffold], scopes: Scopes
) -> None:
    """Fails if some code does more than choose variables, and restore them."""
    gone = {
        n for one in known for value in one.dropped for n in walk_breadth_first(value)
    }
    for one in known:
        if one.refused is not None:
            raise NotSplit(one.call, "its Scaffold does more than restore and save")
    entered: set[ast.AST] = set()
    stack: list[ast.AST] = list(nodes)
    while stack:
        outer = stack.pop()
        for node, symbol in find_uses(outer, scopes):
            if node in gone or symbol in table.RESTORES:
                continue
            if symbol.partition(".")[0] in _MODULES:
                continue
            host = (*table.HOST, "tf.gfile", "tf.io.gfile", "tf.GraphKeys")
            if not symbol.startswith(host):
                raise NotSplit(node, f"it computes initial values with {symbol}")
            if symbol.startswith("tf.GraphKeys") and symbol not in table.LISTS:
                raise NotSplit(node, f"its initial values come from {symbol}")
        for part in walk_breadth_first(outer):
            if isinstance(part, ast.Attribute) and part.attr in _RUNS:
                if scopes.resolve(part) is None:
                    raise NotSplit(
                        part,
                        "it does more with initial values than to restore them "
                        "from a checkpoint",
                    )
            if not isinstance(part, ast.Call) or part in gone:
                continue
            _check_saver(part, scopes)
            inner = scopes.find_function(part.func)
            if inner is None:
                _check_call(part, scopes)
            elif inner not in entered:
                entered.add(inner)
                stack += inner.body


def _check_saver(call: ast.Call, scopes: Scopes) -> None:
    if scopes.resolve(call.func) == "tf.train.Saver":
        if names.find_argument(call, "var_list", 0) is None:
            raise NotSplit(
                call, "it makes a Saver of all variables that exist at that moment"
            )


def _check_call(call: ast.Call, scopes: Scopes) -> None:
    """Refuses a call that is not local, builtin, or of a plain library."""
    if scopes.resolve(call.func) is not None:
        return
    root: ast.expr = call.func
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name):
        return  # A method of a literal.
    owner = scopes.find_scope(root).find_owner(root.id)
    if owner is None:
        if not hasattr(builtins, root.id):
            raise NotSplit(call, f"the tool cannot tell what {root.id}() does")
        return
    for bound in owner.bindings[root.id]:
        if isinstance(bound, (ast.Import, ast.ImportFrom)):
            module = getattr(bound, "module", None) or bound.names[0].name
            if module.partition(".")[0] not in _MODULES:
                raise NotSplit(call, f"{ast.unparse(call.func)}() is in another file")
        elif owner is scopes.module and not isinstance(call.func, ast.Attribute):
            raise NotSplit(call, f"the tool cannot tell what {root.id}() does")
        elif isinstance(value := getattr(bound, "value", None), ast.Call):
            maker = value.func
            if isinstance(maker, ast.Name) and _is_class(maker, scopes):
                raise NotSplit(call, f"{ast.unparse(call.func)}() is not known")


def _is_class(name: ast.Name, scopes: Scopes) -> bool:
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings[name.id] if owner is not None else []
    return any(isinstance(b, (ast.ClassDef, ast.ImportFrom)) for b in bound)


def _find_symbols(node: ast.AST, scopes: Scopes) -> set[str]:
    """Finds the symbols that some code uses, itself or in functions it calls."""
    found: set[str] = set()
    entered: set[ast.AST] = set()
    stack: list[ast.AST] = [node]
    while stack:
        outer = stack.pop()
        found |= {symbol for _, symbol in find_uses(outer, scopes)}
        for inner in walk_breadth_first(outer):
            if isinstance(inner, ast.Call):
                function = scopes.find_function(inner.func)
                if function is not None and function not in entered:
                    entered.add(function)
                    stack += function.body
    return found
