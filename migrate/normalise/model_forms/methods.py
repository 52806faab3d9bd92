"""A model_fn inside of a method reads its object: the object gets a name of its own.

    def __init__(self, hidden):               def __init__(self, hidden):
        self.hidden = hidden                      self.hidden = hidden
                                                  trainer = self
        def model_fn(features, mode):             def model_fn(features, mode):
            dense(x, self.hidden)                     dense(x, trainer.hidden)

In the methods of a model `self` is the model. Both names hold the same object, and what is
read of it is read when it was: where a graph is made.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.normalise.model_forms.parts import find_free_name, indent
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Methods of what an attribute holds, of which a value comes.
_PLAIN = frozenset({"get", "items", "keys", "values", "format", "copy", "split"})
# With one of these in a class, what an attribute is may be anything.
_ANY = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__dict__"})


def name_outer_values(
    text: Text, scopes: Scopes, function: ast.FunctionDef
) -> Text | None:
    """The text in which a model_fn reads no outer `self`; None if it reads none."""
    method = scopes.parents.get(function)
    if not isinstance(method, ast.FunctionDef) or function not in method.body:
        return None
    owner = scopes.parents.get(method)
    if not isinstance(owner, ast.ClassDef) or function.decorator_list:
        return None
    first = method.args.args[0] if method.args.args else None
    if first is None or first.arg != "self" or method.decorator_list:
        return None
    scope = scopes.scope_by_node[method]
    uses = [
        node
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Name)
        and node.id == first.arg
        and scopes.find_scope(node).find_owner(node.id) is scope
    ]
    if not uses or scope.bindings[first.arg] != [first]:
        return None
    if any(isinstance(n, ast.Name) and n.id in _ANY for n in walk_breadth_first(owner)):
        return None
    held = _find_stored_attributes(owner)
    if not all(_is_read(node, held, scopes) for node in uses):
        return None
    name = find_free_name(_spell_in_snake_case(owner.name), method, scopes)
    edited = text.apply_edits([Edit(node, name) for node in uses])
    at = function.lineno
    # Above the comments of the model_fn, which are its own.
    while at > 1 and text.lines[at - 2].lstrip().startswith("#"):
        at -= 1
    line = f"{indent(text, function)}{name} = {first.arg}"
    return edited.splice(at, at - 1, [line, ""], [text.origins[at - 1]] * 2)


def _find_stored_attributes(owner: ast.ClassDef) -> frozenset[str]:
    """Attributes that hold what was put there: no methods, and no properties."""
    made = {
        node.name
        for node in owner.body
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef))
    }
    if made & _ANY:
        return frozenset()
    return frozenset(set(_put(owner)) - made)


def _put(owner: ast.ClassDef) -> Iterator[str]:
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        own = method.args.args[0].arg
        for node in walk_breadth_first(method):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name) and node.value.id == own:
                    yield node.attr


def _is_read(node: ast.Name, held: frozenset[str], scopes: Scopes) -> bool:
    """Whether an attribute's value is read, and nothing of it is called that may do more."""
    attribute = scopes.parents.get(node)
    if not isinstance(attribute, ast.Attribute) or attribute.attr not in held:
        return False
    current: ast.AST = attribute
    if not isinstance(attribute.ctx, ast.Load):
        return False
    while True:
        above = scopes.parents.get(current)
        if isinstance(above, ast.Call) and above.func is current:
            return isinstance(current, ast.Attribute) and current.attr in _PLAIN
        if isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is current:
            if not isinstance(above.ctx, ast.Load):
                return False
            current = above
            continue
        return True


def _spell_in_snake_case(name: str) -> str:
    """`DeepTrainer` as a variable is called."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.strip("_").lower() or "owner"
