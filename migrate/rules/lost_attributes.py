"""E105, S185: attributes of datasets and variables that TensorFlow 2's objects lack.

    shapes = dataset.output_shapes  # tf.compat.v1.data.get_output_shapes(dataset)

The attribute of what is known to be a dataset is written anew. Of the result, what stands on a
value that nobody knows is refused, unless the file gives such an attribute to objects of its own.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.rules import graph_seeds
from migrate.rules.mistakes import values
from migrate.source.nodes import find_plain_names
from migrate.tables import graph_mode
from migrate.tables import lost_attributes as table

_DATASET, _ITERATOR, _VARIABLE = table.DATASET, table.ITERATOR, table.VARIABLE
_OTHER, _UNKNOWN = "other", "unknown"
# A dataset of tf.compat.v1, which has all its old attributes.
_OLD_DATASET = "tf.compat.v1.data.Dataset"
_DATASETS = (_DATASET, _OLD_DATASET)
_V1 = "tensorflow.compat.v1."
_MAKES_ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
# Methods of a dataset that return something else.
_GIVES_OTHERS = frozenset(
    {"as_numpy_iterator", "cardinality", "get_single_element", "options", "reduce"}
    | {"save", "list_files_matching", *table.OF_ELEMENTS, "element_spec"}
)
_VARIABLES = frozenset({"tf.Variable", "tf.get_variable"})
_HOST = frozenset({*sys.stdlib_module_names, "absl", "numpy", "six"})
_REASON = "TensorFlow 2's dataset has no `{}`; this function returns the same"
_MAY_BE = "may be a dataset, and a dataset has no `{}` in TensorFlow 2"
_IS = _MAY_BE.replace("may be", "is")
_RECIPE = "If it is a dataset, write {}(...)."
# These make TensorFlow 1 run each operation at once.
EAGER = ("tf.enable_eager_execution", "tf.enable_v2_behavior")
_ONE_SHOT = "make_one_shot_iterator"
_ITERATOR_RECIPE = "Return the dataset, and make its iterator where it is used."
_SEED = (
    "this graph's seed has no effect, because TensorFlow 2 draws the "
    "numbers outside of the graph"
)
_SEED_RECIPE = "Call tf.set_random_seed where this graph is the default graph."
_Kinds = frozenset[str]


def plan_attributes(scopes: Scopes, plan: Plan) -> Iterator[Finding]:
    """Plans the functions of TensorFlow 2 for values that are known to be datasets."""
    if plan.keeps_compat or (scopes.imports_compat() and not plan.suites):
        return  # Datasets as TensorFlow 1 has them.
    for node in _find_reads(scopes, frozenset(table.OF_ELEMENTS)):
        kinds = _find_kinds(scopes, node.value)
        known = kinds & {*_DATASETS} and kinds <= {*_DATASETS, _ITERATOR}
        if not known or node in plan.expressions:
            continue
        plan.imports.append("import tensorflow as tf")
        plan.replace(
            node, make_code(f"{table.OF_ELEMENTS[node.attr]}(", node.value, ")")
        )
        reason = _REASON.format(node.attr)
        yield _make_finding(node, "E105", Outcome.REWRITTEN, reason)
    if any(symbol in EAGER for _, symbol in scopes.walk_uses()):
        yield from _plan_iterators(scopes, plan)


def _plan_iterators(scopes: Scopes, plan: Plan) -> Iterator[Finding]:
    """Plans `iter(dataset)` for iterators that eager code makes."""
    for node, call in _find_made_iterators(scopes):
        kinds = _find_kinds(scopes, node.value)
        if kinds == {_DATASET} and call not in plan.expressions:
            plan.replace(call, make_code("iter(", node.value, ")"))
            reason = _REASON.format(node.attr)
            yield _make_finding(node, "E105", Outcome.REWRITTEN, reason)
        elif _UNKNOWN in kinds:
            reason = f"`{ast.unparse(node.value)}` {_MAY_BE.format(node.attr)}"
            recipe = _RECIPE.format("iter")
            yield _make_finding(node, "E105", Outcome.REFUSED, reason, recipe)


def _find_made_iterators(scopes: Scopes) -> Iterator[tuple[ast.Attribute, ast.Call]]:
    """Yields calls `dataset.make_one_shot_iterator()`."""
    for node in _find_reads(scopes, frozenset({_ONE_SHOT})):
        call = scopes.parents.get(node)
        if isinstance(call, ast.Call) and call.func is node:
            if not (call.args or call.keywords):
                yield node, call


def find_lost(scopes: Scopes, changed: bool) -> Iterator[Finding]:
    """Yields attributes in a result that its objects lack, or may lack.

    Args:
      changed: whether anything in the file was TensorFlow 1's. If not, only known datasets
        are reported.
    """
    if scopes.imports_compat():
        return
    given = _find_given(scopes)
    for node in _find_reads(scopes, frozenset(table.OF_ELEMENTS) - given):
        called = scopes.parents.get(node)
        if isinstance(called, ast.Call) and called.func is node:
            continue  # A method: no dataset had one of this name.
        kinds = _find_kinds(scopes, node.value)
        if kinds == {_DATASET} or (changed and kinds & {_DATASET, _UNKNOWN}):
            template = _IS if kinds == {_DATASET} else _MAY_BE
            reason = f"`{ast.unparse(node.value)}` {template.format(node.attr)}"
            recipe = _RECIPE.format(table.OF_ELEMENTS[node.attr])
            yield _make_finding(node, "E105", Outcome.REFUSED, reason, recipe)
    for node, _ in _find_made_iterators(scopes):
        if _find_kinds(scopes, node.value) == {_DATASET}:
            reason = f"`{ast.unparse(node.value)}` {_IS.format(node.attr)}"
            yield _make_finding(node, "E105", Outcome.REFUSED, reason, _ITERATOR_RECIPE)
    yield from _find_seeds(scopes) if changed else ()
    graphs = any(symbol in graph_mode.SWITCHES for _, symbol in scopes.walk_uses())
    for which, lost in table.LOST.items():
        if which == _VARIABLE and (graphs or scopes.runs_graphs or not changed):
            continue  # In graph mode a variable is TensorFlow 1's.
        for node in _find_reads(scopes, frozenset(lost)):
            if _find_kinds(scopes, node.value) != {which}:
                continue
            reason = f"TensorFlow 2's `{which}` has no `{node.attr}` here"
            yield _make_finding(node, "S185", Outcome.REFUSED, reason, lost[node.attr])


def _find_seeds(scopes: Scopes) -> Iterator[Finding]:
    """Reports seeds that a result gives to graphs, although nothing draws in a graph."""
    for node in scopes.walk():
        if not scopes.runs_graphs and graph_seeds.gives_seed(node, scopes):
            assert isinstance(node, ast.Assign)
            target = node.targets[0]
            assert isinstance(target, ast.Attribute)
            yield _make_finding(target, "S185", Outcome.REFUSED, _SEED, _SEED_RECIPE)


def _make_finding(
    node: ast.Attribute, code_: str, outcome: Outcome, reason: str, recipe: str = ""
) -> Finding:
    line, column = node.lineno, node.col_offset + 1
    return Finding(line, column, code_, outcome, node.attr, reason, recipe)


def _find_reads(scopes: Scopes, names: _Kinds) -> list[ast.Attribute]:
    """Returns reads of such an attribute, of anything but a module."""
    return [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Attribute)
        and node.attr in names
        and isinstance(node.ctx, ast.Load)
        and not scopes.import_path(node)
    ]


def _find_given(scopes: Scopes) -> _Kinds:
    """Returns names that a file gives to its own attributes, methods, fields or flags."""
    found: set[str] = set()
    for node in scopes.walk():
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {*node.value.replace(",", " ").replace("--", "").split()}
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.add(item.name)
                elif isinstance(item, ast.Assign | ast.AnnAssign):
                    found |= find_plain_names(item, ast.Store)
    return frozenset(found)


# -- what a value may be ----------------------------------------------------------------


def _find_kinds(
    scopes: Scopes, node: ast.expr, seen: frozenset[ast.AST] = frozenset()
) -> _Kinds:
    """Returns the kinds that an expression may have; a name may be all that it is bound to."""
    if node in seen:
        return frozenset()  # `dataset = dataset.batch(8)`: its other statements decide.
    seen |= {node}
    match node:
        case ast.Call():
            return _find_kinds_of_call(scopes, node, seen)
        case ast.Name() | ast.Attribute() | ast.IfExp():
            if isinstance(node, ast.Name) and _is_own_object(scopes, node):
                return frozenset({_OTHER})
            return _follow(scopes, node, seen)
        case ast.Subscript() | ast.Await() | ast.BoolOp() | ast.NamedExpr():
            return frozenset({_UNKNOWN})
        case ast.Starred() | ast.Yield() | ast.YieldFrom():
            return frozenset({_UNKNOWN})
    return frozenset({_OTHER})  # A literal, an operator, a comparison, a function.


def _follow(scopes: Scopes, node: ast.expr, seen: frozenset[ast.AST]) -> _Kinds:
    found = values.find_sources(scopes, node)
    if not found:
        return frozenset({_UNKNOWN})
    kinds: set[str] = set()
    for value in found:
        kinds |= _find_kinds(scopes, value, seen | _find_same_names(scopes, node))
    return frozenset(kinds)


def _find_same_names(scopes: Scopes, node: ast.expr) -> frozenset[ast.AST]:
    """Returns reads of the same name or attribute, which have been followed with it."""
    shown = ast.dump(node)
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        return frozenset(
            n
            for n in scopes.walk()
            if isinstance(n, ast.Name)
            and n.id == node.id
            and scopes.find_scope(n).find_owner(n.id) is owner
        )
    if isinstance(node, ast.Attribute):
        own = values.find_class(scopes, node)
        return frozenset(
            n
            for n in scopes.walk()
            if isinstance(n, ast.Attribute)
            and ast.dump(n) == shown
            and values.find_class(scopes, n) is own
        )
    return frozenset()


def _is_own_object(scopes: Scopes, name: ast.Name) -> bool:
    """Whether a name is a method's own object, a class or a function."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings.get(name.id, []) if owner is not None else []
    if len(bound) != 1 or owner is None:
        return False
    if isinstance(bound[0], ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return True
    function = owner.node
    return (
        isinstance(bound[0], ast.arg)
        and isinstance(function, ast.FunctionDef)
        and isinstance(scopes.parents.get(function), ast.ClassDef)
        and bool(function.args.args)
        and function.args.args[0] is bound[0]
        and not any(
            isinstance(d, ast.Name) and d.id == "staticmethod"
            for d in function.decorator_list
        )
    )


def _find_kinds_of_call(
    scopes: Scopes, call: ast.Call, seen: frozenset[ast.AST]
) -> _Kinds:
    symbol = scopes.resolve(call.func) or ""
    if symbol.startswith("tf."):
        kind = _find_kind_of_symbol(symbol.replace("tf.compat.v1.", "tf.", 1))
        if kind == _DATASET and (scopes.find_dotted_path(call.func) or "").startswith(
            _V1
        ):
            kind = _OLD_DATASET
        return frozenset({kind})
    path = scopes.import_path(call.func)
    if path:
        host = path.partition(".")[0] in _HOST
        return frozenset({_OTHER if host else _UNKNOWN})
    if isinstance(call.func, ast.Attribute):
        return _find_kinds_of_method(scopes, call.func, seen)
    if not isinstance(call.func, ast.Name):
        return frozenset({_UNKNOWN})
    owner = scopes.find_scope(call.func).find_owner(call.func.id)
    if owner is None:
        known = hasattr(builtins, call.func.id)
        if call.func.id == "iter" and call.args:
            inside = _find_kinds(scopes, call.args[0], seen)
            return frozenset({_ITERATOR if k in _DATASETS else k for k in inside})
        open_ = call.func.id in ("next", "getattr", "max", "min", "super", "eval")
        return frozenset({_OTHER if known and not open_ else _UNKNOWN})
    if any(isinstance(b, ast.ClassDef) for b in owner.bindings[call.func.id]):
        return frozenset({_OTHER})
    return _follow(scopes, call, seen)


def _find_kind_of_symbol(symbol: str) -> str:
    if symbol in _VARIABLES:
        return _VARIABLE
    parts = symbol.split(".")
    if "data" not in parts:
        return _OTHER
    if any(part.endswith("iterator") or part == "Iterator" for part in parts):
        return _ITERATOR
    if any(part.endswith("Dataset") for part in parts):
        return _OTHER if parts[-1] in _GIVES_OTHERS else _DATASET
    # make_csv_dataset, sample_from_datasets and their kind.
    return _DATASET if "dataset" in parts[-1] else _OTHER


def _find_kinds_of_method(
    scopes: Scopes, called: ast.Attribute, seen: frozenset[ast.AST]
) -> _Kinds:
    found = set()
    for kind in _find_kinds(scopes, called.value, seen):
        if kind in _DATASETS and called.attr in _MAKES_ITERATORS:
            kind = _ITERATOR
        elif kind in _DATASETS and called.attr in _GIVES_OTHERS:
            kind = _OTHER
        elif kind in (_ITERATOR, _VARIABLE):
            kind = _OTHER
        elif kind == _OTHER:
            # A method of an object may return anything. A tensor's method returns tensors.
            kind = _find_kind_of_own_method(scopes, called)
        found.add(kind)
    return frozenset(found)


def _find_kind_of_own_method(scopes: Scopes, called: ast.Attribute) -> str:
    """Returns the kind of `self.make()`: unknown if the method is the file's own."""
    own = any(
        isinstance(node, ast.FunctionDef) and node.name == called.attr
        for node in scopes.walk()
    )
    is_self = isinstance(called.value, ast.Name)
    return _UNKNOWN if own or is_self else _OTHER
