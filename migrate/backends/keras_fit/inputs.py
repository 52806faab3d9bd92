"""Writes the dataset of an input_fn as an expression."""

from __future__ import annotations

import ast

from migrate.backends.keras_fit.program import Stays
from migrate.facts.definitions import find_definition
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first

# Arguments that an Estimator gives an input_fn which asks for them.
_ASKED = ("mode", "params", "config", "input_context")
_MODES = {"train": '"train"', "evaluate": '"eval"', "predict": '"infer"'}
_OF_DATASETS = "tf.data."
# Methods of datasets that do not change batches, or types.
_KEEP_BATCHES = frozenset({"cache", "prefetch", "repeat", "shuffle", "skip", "take"})
_KEEP_TYPES = _KEEP_BATCHES | {"batch"}


class Inputs:
    """Datasets of a program's input_fns."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        # Whether an Estimator's params are those of another function.
        self.params_unseen = False

    def write_dataset(self, node: ast.expr, kind: str, params: ast.expr | None) -> Code:
        """Writes the dataset that an input_fn returns.

        Args:
          kind: "train", "evaluate" or "predict".
          params: the Estimator's.

        Raises:
          Stays: the arguments of the input_fn are not certain.
        """
        called = self._write_call(node, kind, params)
        if self._gives_dataset(node):
            return called
        if isinstance(node, ast.Name) and not self._find_asked(
            node, kind, params, 0, set()
        ):
            return make_code("estimator_inputs.dataset_of(", node, ")")
        return make_code("estimator_inputs.dataset_of(lambda: ", called, ")")

    def write_function(
        self, node: ast.expr, kind: str, params: ast.expr | None
    ) -> Code:
        """Writes a function without parameters that returns the dataset."""
        if isinstance(node, ast.Name) and self._gives_dataset(node):
            if not self._find_asked(node, kind, params, 0, set()):
                return make_code(node)
        return make_code("lambda: ", self.write_dataset(node, kind, params))

    def has_equal_batches(self, node: ast.expr) -> bool:
        """Whether all batches of an input are known to have one size."""
        for value in self._find_results(node):
            while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                if value.func.attr == "batch":
                    break
                if value.func.attr not in _KEEP_BATCHES:
                    return False
                value = value.func.value
            if not isinstance(value, ast.Call) or not _is_equal_batch(value):
                return False
        return bool(self._find_results(node))

    def is_float32(self, node: ast.expr) -> bool:
        """Whether the features of an input are known to be of type float32."""
        found = self._find_results(node)
        for value in found:
            while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                symbol = self._scopes.resolve(value.func) or ""
                if symbol == "tf.data.Dataset.from_tensor_slices":
                    break
                if value.func.attr not in _KEEP_TYPES:
                    return False
                value = value.func.value
            match value:
                case ast.Call(args=[ast.Tuple(elts=[features, _])]):
                    if not self._is_float32(features):
                        return False
                case _:
                    return False
        return bool(found)

    def _is_float32(self, node: ast.expr) -> bool:
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return bool(elements) and all(map(self._is_float32, elements))
            case ast.Constant(value=value):
                return isinstance(value, float)
            case ast.Name():
                definition = find_definition(node, self._scopes)
                if isinstance(definition, ast.Assign):
                    return self._is_float32(definition.value)
            case ast.Call(func=ast.Attribute(attr="astype"), args=[kind]):
                return ast.unparse(kind) in ("np.float32", "numpy.float32", "'float32'")
        return False

    def _find_results(self, node: ast.expr) -> list[ast.expr]:
        """Returns the results of an input_fn, if they are in sight."""
        if isinstance(node, ast.Lambda):
            return [node.body]
        definition = find_definition(node, self._scopes)
        if isinstance(definition, ast.FunctionDef):
            return _find_returned(definition)
        return []

    def find_free_names(self, node: ast.expr) -> list[ast.Name]:
        """Returns reads of names in the expression of an input_fn."""
        bound = {
            a.arg
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Lambda)
            for a in n.args.args
        }
        return [
            n
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Name) and n.id not in bound
        ]

    # -- how it is called --------------------------------------------------------------

    def _write_call(self, node: ast.expr, kind: str, params: ast.expr | None) -> Code:
        if isinstance(node, ast.Lambda) and not _has_parameters(node.args):
            return make_code(node.body)
        if isinstance(node, ast.Call) and self._is_partial(node):
            function, *rest = node.args
            taken = len(rest)
            given = [make_code(value) for value in rest]
            given += [make_code(f"{k.arg}=", k.value) for k in node.keywords if k.arg]
            words = {k.arg for k in node.keywords}
            if None in words:
                raise Stays(node, "a call takes `*args` or `**kwargs`")
            asked = self._find_asked(function, kind, params, taken, words)
            return make_code(function, "(", join_code(", ", [*given, *asked]), ")")
        if isinstance(node, (ast.Name, ast.Attribute)):
            asked = self._find_asked(node, kind, params, 0, set())
            return make_code(node, "(", join_code(", ", asked), ")")
        if isinstance(node, ast.Call):
            made = self._find_made(node)
            asked = self._find_asked_by(made, kind, params, 0, set(), node)
            return make_code(node, "(", join_code(", ", asked), ")")
        raise Stays(node, "the tool cannot tell the arguments of its input_fn apart")

    def _is_partial(self, node: ast.Call) -> bool:
        return self._scopes.import_path(node.func) == "functools.partial" and bool(
            node.args
        )

    def _find_asked(
        self,
        function: ast.expr,
        kind: str,
        params: ast.expr | None,
        taken: int,
        words: set[str | None],
    ) -> list[Code]:
        definition = find_definition(function, self._scopes)
        if isinstance(definition, ast.Assign):
            value = definition.value
            if isinstance(value, ast.Lambda):
                definition = value
            elif isinstance(value, ast.Call) and not self._is_partial(value):
                definition = self._find_made(value)
        return self._find_asked_by(definition, kind, params, taken, words, function)

    def _find_asked_by(
        self,
        definition: ast.AST | None,
        kind: str,
        params: ast.expr | None,
        taken: int,
        words: set[str | None],
        node: ast.expr,
    ) -> list[Code]:
        """Returns the arguments that an Estimator adds to a function's own."""
        if definition is _ROWS:
            return []
        if not isinstance(definition, (ast.FunctionDef, ast.Lambda)):
            raise Stays(
                node, "the tool cannot tell the arguments of its input_fn apart"
            )
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
            raise Stays(
                node, "the tool cannot tell the arguments of its input_fn apart"
            )
        names = [*arguments.args[taken:], *arguments.kwonlyargs]
        asked = []
        for name in (a.arg for a in names if a.arg not in words):
            if name == "mode":
                asked.append(make_code(f"mode={_MODES[kind]}"))
            elif name == "params" and self.params_unseen:
                raise Stays(
                    node, "its input_fn takes `params` that are made in another place"
                )
            elif name == "params":
                asked.append(
                    make_code("params=", params) if params else make_code("params={}")
                )
            elif name in _ASKED:
                raise Stays(node, f"its input_fn takes `{name}`")
        return asked

    def _find_made(self, call: ast.Call) -> ast.AST | None:
        """Returns the function that a call returns."""
        name = self._scopes.import_path(call.func).lstrip(".")
        if name in (
            "estimator_loop.inputs.numpy_input_fn",
            "estimator_loop.inputs.pandas_input_fn",
        ):
            return _ROWS
        maker = find_definition(call.func, self._scopes)
        if not isinstance(maker, ast.FunctionDef):
            return None
        returned = _find_returned(maker)
        if len(returned) != 1:
            return None
        value = returned[0]
        if isinstance(value, ast.Lambda):
            return value
        return find_definition(value, self._scopes)

    # -- what it gives -----------------------------------------------------------------

    def _gives_dataset(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda):
            return self._is_dataset(node.body, 0)
        if isinstance(node, ast.Call) and self._is_partial(node):
            return self._gives_dataset(node.args[0])
        definition: ast.AST | None
        if isinstance(node, ast.Call):
            definition = self._find_made(node)
        else:
            definition = find_definition(node, self._scopes)
            if isinstance(definition, ast.Assign):
                return self._gives_dataset(definition.value)
        if isinstance(definition, ast.Lambda):
            return self._is_dataset(definition.body, 0)
        if isinstance(definition, ast.FunctionDef):
            found = _find_returned(definition)
            return bool(found) and all(self._is_dataset(value, 0) for value in found)
        return False

    def _is_dataset(self, node: ast.expr, depth: int) -> bool:
        """Whether an expression is known to be a dataset."""
        if depth > 20:
            return False
        depth += 1
        match node:
            case ast.Call(func=func):
                symbol = self._scopes.resolve(func) or ""
                if symbol.startswith(_OF_DATASETS):
                    return True
                if isinstance(func, ast.Attribute):
                    return self._is_dataset(func.value, depth)
                definition = find_definition(func, self._scopes)
                if isinstance(definition, ast.FunctionDef):
                    found = _find_returned(definition)
                    return bool(found) and all(
                        self._is_dataset(value, depth) for value in found
                    )
            case ast.Name():
                owner = self._scopes.find_scope(node).find_owner(node.id)
                bound = owner.bindings[node.id] if owner is not None else []
                values = [
                    b.value
                    for b in bound
                    if isinstance(b, ast.Assign) and isinstance(b.targets[0], ast.Name)
                ]
                made = [v for v in values if not _is_method_of(v, node.id)]
                return (
                    bool(made)
                    and len(values) == len(bound)
                    and all(self._is_dataset(value, depth) for value in made)
                )
        return False


# The result of numpy_input_fn and similar functions: a function without parameters.
_ROWS = ast.Pass()


def _is_equal_batch(call: ast.Call) -> bool:
    """Whether a call is `.batch(1)`, or drops what does not fill a batch."""
    match call.args:
        case [ast.Constant(1)]:
            return True
    return any(
        k.arg == "drop_remainder"
        and isinstance(k.value, ast.Constant)
        and k.value.value is True
        for k in call.keywords
    )


def _is_method_of(value: ast.expr, name: str) -> bool:
    """Whether a value is `dataset.map(...).batch(...)`, bound to the same name again."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name


def _find_returned(function: ast.FunctionDef) -> list[ast.expr]:
    """Returns the values of a function's own return statements."""
    found: list[ast.expr] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        stack.extend(ast.iter_child_nodes(node))
    return found


def _has_parameters(arguments: ast.arguments) -> bool:
    return bool(
        arguments.args or arguments.vararg or arguments.kwarg or arguments.kwonlyargs
    )
