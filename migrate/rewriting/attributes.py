"""Finds attributes that the result reads, but that the new objects lack.

    saver = training_session.Saver()
    saver.export_meta_graph("model.meta")  # There is no such method: refused at its
    line.

Only what is certain is told: the name, or the attribute of an object of the program's own, is
bound to nothing but such objects, and no statement gives them the attribute.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from migrate import emitted
from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.rewriting.kept_objects import KeptObjects
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import replaced_objects as table
from migrate.tables.estimator import STRATEGIES_MODULE

# Parameters of a hook's methods, after `self`.
_OF_METHODS = {
    "before_run": ("SessionRunContext",),
    "after_run": ("SessionRunContext", "SessionRunValues"),
    "after_create_session": ("HookSession", "None"),
    "end": ("HookSession",),
}
_HOOKS = ("training_session", "estimator_loop")
# Objects of TensorFlow 2 -> what they lack that those of TensorFlow 1 had.
_ITERATOR, _OPTIMIZER = ("", "an iterator of TensorFlow 2"), ("", "the optimizer")
_LACKING = {_ITERATOR: table.ITERATOR, _OPTIMIZER: table.OPTIMIZER}
# Attributes of these objects that are such objects.
_PARTS = {("SessionRunContext", "session"): "HookSession"}
# Modules whose objects lack nothing but what is about a graph or its session.
_OF_GRAPHS = (
    *("", "contrib_predictor", "estimator_loop", "plain_session", "training_session"),
)
_FOR_GRAPHS = (
    "Remove it: it is about the graph, or about the session that ran the graph."
)
_FOR_STRATEGIES = "Remove it: the Estimator that is given the strategy applies it."
_FOR_COORDINATORS = (
    "Remove it: no thread fills queues. To stop the training, call "
    "run_context.request_stop() in before_run or after_run."
)
_FOR_SYNCHRONY = (
    "Write the statement `hook = {}.make_session_run_hook(is_chief)`, and its name in the "
    "list of hooks: hooks=[hook, ...]. The tool removes both. The hook also does what the "
    "optimizer's other operations for the session do."
)
_FOR_OTHERS = "Remove it, or compute in the program what it gave."


def refuse_missing_attributes(tree: ast.Module, result: str) -> list[Finding]:
    """Refuses reads of missing attributes, at the lines of the original."""
    lacking = dict(find_missing_attributes(result))
    found = [
        Finding(
            node.lineno,
            node.col_offset + 1,
            "S185",
            Outcome.REFUSED,
            spelled,
            _explain(node, lacking[spelled]),
            _find_recipe(node, lacking[spelled]),
        )
        for node in (walk_breadth_first(tree) if lacking else ())
        if isinstance(node, ast.Attribute) and (spelled := ast.unparse(node)) in lacking
    ]
    # The program may spell it otherwise, if it was moved here from a function.
    told = {finding.symbol for finding in found}
    found += [
        Finding(
            1, 1, "S185", Outcome.REFUSED, spelled, f"{_show(which)} has no `{spelled}`"
        )
        for spelled, which in lacking.items()
        if spelled not in told
    ]
    return found


def _explain(node: ast.Attribute, which: str) -> str:
    """Returns the reason against an attribute that objects of a class lack."""
    if which == _OPTIMIZER[1]:
        return (
            "the migrated program averages gradients without a SyncReplicasOptimizer, so "
            f"it has no `{node.attr}`. The tool cannot remove this use of it"
        )
    return f"`{ast.unparse(node)}`: {_show(which)} has no `{node.attr}`"


def _find_recipe(node: ast.Attribute, which: str) -> str:
    """Returns the way out if objects of a class lack an attribute."""
    module, _, _ = which.rpartition(".")
    if which == _OPTIMIZER[1]:
        return _FOR_SYNCHRONY.format(ast.unparse(node.value))
    if which == table.NO_COORDINATOR[1]:
        return _FOR_COORDINATORS
    if module == STRATEGIES_MODULE:
        return _FOR_STRATEGIES
    return _FOR_GRAPHS if module in _OF_GRAPHS else _FOR_OTHERS


def _show(which: str) -> str:
    """Names the object that lacks an attribute, for readers of the original program."""
    module, _, name = which.rpartition(".")
    if module:
        return f"what stands for it in the migrated program ({name} of {module}.py)"
    return (
        "what stands for it in the migrated program (None)"
        if (which == "None")
        else which
    )


def find_missing_attributes(text: str) -> Iterator[tuple[str, str]]:
    """Attributes that objects in a result do not have: "saver.build", their class."""
    scopes = build_scopes(parse_source(text))
    bound = _find_objects(scopes)
    kept = KeptObjects(scopes, _find_made_class)
    given = {
        node.attr
        for node in scopes.walk()
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and not kept.is_own(node.value)
    }
    for node in scopes.walk():
        if not isinstance(node, ast.Attribute) or node.attr in given:
            continue
        which = _find_class(node.value, scopes, bound, kept)
        if which is None:
            continue
        if which in _LACKING:
            lacks = node.attr in _LACKING[which]
        else:
            offered = list_offered_attributes(*which)
            lacks = offered is not None and node.attr not in offered
        if lacks:
            yield ast.unparse(node), ".".join(filter(None, which))


# By scope (its identity) and name: the classes, by module and name.
_Bound = dict[tuple[int, str], set[tuple[str, str]]]


def _find_class(
    node: ast.expr, scopes: Scopes, bound: _Bound, kept: KeptObjects
) -> tuple[str, str] | None:
    """The emitted class, by module and name, whose object an expression is."""
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        found = bound.get((id(owner), node.id), set())
        return next(iter(found)) if len(found) == 1 else None
    if isinstance(node, ast.Attribute):
        whole = _find_class(node.value, scopes, bound, kept)
        if whole is not None and (whole[1], node.attr) in _PARTS:
            return whole[0], _PARTS[whole[1], node.attr]
        return kept.find_class(node) if whole is None else None
    return None


def _find_objects(scopes: Scopes) -> _Bound:
    """Names that are bound to objects of emitted classes alone."""
    found: _Bound = {}
    times: dict[tuple[int, str], int] = {}
    bindings: dict[tuple[int, str], int] = {}

    def bind(owner: Scope | None, name: str, which: tuple[str, str] | None) -> None:
        if which is None or owner is None:
            return
        key = id(owner), name
        found.setdefault(key, set()).add(which)
        times[key] = times.get(key, 0) + 1
        bindings[key] = len(owner.bindings.get(name, ()))

    def assign_class(target: ast.expr | None, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            owner = scopes.find_scope(target).find_owner(target.id)
            bind(owner, target.id, _find_made_class(value))

    for node in scopes.walk():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assign_class(target, node.value)
        elif isinstance(node, ast.withitem):
            assign_class(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.ClassDef):
            for method, parameter, which in _find_parameters(node):
                bind(scopes.scope_by_node[method], parameter.arg, which)
    return {key: one for key, one in found.items() if times[key] == bindings[key]}


def _find_made_class(value: ast.expr) -> tuple[str, str] | None:
    """The emitted class of which an expression makes an object."""
    if not isinstance(value, ast.Call):
        return None
    path = ast.unparse(value.func).split(".")
    if (
        path[-1] == "per_worker"
        and value.args
        and isinstance(value.args[0], ast.Lambda)
    ):
        return _find_made_class(value.args[0].body)
    if path == ["iter"]:
        return _ITERATOR
    if path[-2:-1] == ["train"] and path[-1].endswith("Optimizer"):
        return _OPTIMIZER
    if len(path) < 2 or not emitted.list_files(path[-2]):
        return None
    name = _map_makers(path[-2]).get(path[-1], path[-1])
    return (path[-2], name) if name in map_classes(path[-2]) else None


def _find_parameters(
    node: ast.ClassDef,
) -> Iterator[tuple[ast.FunctionDef, ast.arg, tuple[str, str]]]:
    """Finds the parameters of the program's own hooks, with their classes."""
    spelled = {ast.unparse(base) for base in node.bases}
    module = next((m for m in _HOOKS if f"{m}.SessionRunHook" in spelled), "")
    if not module:
        return
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in _OF_METHODS:
            given = method.args.args[1:]
            for parameter, name in zip(given, _OF_METHODS[method.name], strict=False):
                which = table.NO_COORDINATOR if name == "None" else (module, name)
                yield method, parameter, which


@functools.cache
def map_classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of an emitted module, by name."""
    return {
        node.name: node
        for file in emitted.list_files(module)
        for node in parse_source(emitted.read_source(file).decode()).body
        if isinstance(node, ast.ClassDef)
    }


@functools.cache
def _map_makers(module: str) -> dict[str, str]:
    """An emitted module's functions that return new objects -> the one class of these."""
    found = {}
    for file in emitted.list_files(module):
        for node in parse_source(emitted.read_source(file).decode()).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            made = {
                names.find_key(one.value.func)
                if isinstance(one.value, ast.Call)
                else None
                for one in walk_breadth_first(node)
                if isinstance(one, ast.Return)
            }
            (name,) = made if len(made) == 1 else (None,)
            if name in map_classes(module):
                found[node.name] = str(name)
    return found


@functools.cache
def list_offered_attributes(module: str, name: str) -> frozenset[str] | None:
    """The attributes of an emitted class; None where they cannot be listed."""
    if (module, name) == table.NO_COORDINATOR:
        return frozenset(dir(None))
    if not module and name in table.OF_TENSORFLOW:
        return table.OF_TENSORFLOW[name]
    if name in _map_tuples(module):
        return _map_tuples(module)[name]
    node = map_classes(module).get(name)
    if node is None:
        return None
    found: set[str] = set(dir(object))
    for base in node.bases:
        inherited = list_offered_attributes(*_find_base(base, module))
        if inherited is None:
            return None
        found |= inherited
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef):
            found.add(statement.name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            found |= find_plain_names(statement)
    found |= {
        n.attr
        for n in walk_breadth_first(node)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    }
    if any(
        isinstance(n, ast.Call)
        and names.find_key(n.func) == "setattr"
        and names.find_key(n.args[0]) == "self"
        for n in walk_breadth_first(node)
    ):
        return None  # An `HParams` has the attributes that it is given.
    if "__getattr__" in found:
        others = table.HANDS_ON.get((module, name))
        more = list_offered_attributes(*others) if others else None
        return None if more is None else frozenset(found | more)
    return frozenset(found)


@functools.cache
def _map_tuples(module: str) -> dict[str, frozenset[str]]:
    """The attributes of an emitted module's named tuples."""
    found = {}
    for file in emitted.list_files(module):
        for node in parse_source(emitted.read_source(file).decode()).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            call = node.value
            if ast.unparse(call.func) == "collections.namedtuple":
                name, fields = map(ast.literal_eval, call.args)
                found[name] = frozenset({*dir(tuple), "_asdict", "_replace", *fields})
    return found


def _find_base(base: ast.expr, module: str) -> tuple[str, str]:
    """Finds the module and name of a base class of an emitted class."""
    path = ast.unparse(base).split(".")
    if len(path) > 1 and emitted.list_files(path[0]):
        return path[0], path[-1]
    return (module, path[0]) if len(path) == 1 else ("", path[-1])
