"""TF1 to TF1: an object that is made and used in one statement has a name.

    Trainer(FLAGS).train()

is `trainer = Trainer(FLAGS)` and `trainer.train()`; so is what a statement assigns.

`model(x)`, of an object whose class defines `__call__`, is `model.__call__(x)`.

A block of an object whose `__exit__` only closes is written as its calls:

    with Trainer(rate) as trainer:            trainer = Trainer(rate)
        trainer.train()                       trainer.__enter__()
                                              trainer.train()
                                              trainer.__exit__()
"""

from __future__ import annotations

import ast
import re

from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


def name_objects(text: Text) -> Text:
    """The text with such objects of classes of the module named."""
    tree = parse_source(text.source)
    classes = {s.name for s in tree.body if isinstance(s, ast.ClassDef)}
    taken = find_plain_names(tree)
    taken |= {n.arg for n in walk_breadth_first(tree) if isinstance(n, ast.arg)}
    changes: list[tuple[ast.Expr | ast.Assign, ast.Call, str]] = []
    for node in walk_breadth_first(tree):
        made = _find_construction(node, classes)
        if made is None:
            continue
        assert isinstance(node, (ast.Expr, ast.Assign))
        if not text.is_alone(node):
            continue
        assert isinstance(made.func, ast.Name)
        wish = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", made.func.id).lower()
        name, number = wish, 2
        while name in taken | classes:
            name, number = f"{wish}_{number}", number + 1
        taken.add(name)
        changes.append((node, made, name))
    for node, made, name in sorted(changes, key=lambda c: c[0].lineno, reverse=True):
        at = text.lines[node.lineno - 1]
        indent = at[: len(at) - len(at.lstrip())]
        shown = text.find_segment(made)
        before, _, rest = text.find_segment(node).partition(shown)
        lines = f"{indent}{name} = {shown}\n{indent}{before}{name}{rest}".split("\n")
        first = made.end_lineno or made.lineno
        last = node.end_lineno or node.lineno
        origins = [
            *text.origins[node.lineno - 1 : first],
            *text.origins[first - 1 : last],
        ]
        text = text.splice(node.lineno, last, lines, origins)
    return text


def _find_construction(node: ast.AST, classes: set[str]) -> ast.Call | None:
    """The object's making, in a statement that is a call of its method."""
    if not (
        isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call)
    ):
        return None
    method = node.value.func
    made = method.value if isinstance(method, ast.Attribute) else None
    if (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Name)
        and made.func.id in classes
    ):
        return made
    return None


def name_call_methods(text: Text) -> Text:
    """The text in which objects of the module's classes are called by `__call__`."""
    if "def __call__(" not in text.source:
        return text
    scopes = build_scopes(parse_source(text.source))
    classes = {
        node.name: node
        for node in scopes.tree.body
        if isinstance(node, ast.ClassDef)
        and len(scopes.module.bindings[node.name]) == 1
    }
    edits = []
    for call in scopes.walk():
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        owner = scopes.find_scope(call.func).find_owner(call.func.id)
        match owner.bindings.get(call.func.id, []) if owner is not None else []:
            case [
                ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id=made)))
            ] if _defines_call(made, classes, 0):
                edits.append(Edit(call.func, f"{call.func.id}.__call__"))
    return text.apply_edits(edits)


def _defines_call(name: str, classes: dict[str, ast.ClassDef], depth: int) -> bool:
    """Whether a class, or one that it inherits from, defines `__call__`."""
    made = classes.get(name)
    if made is None or depth > len(classes):
        return False
    own = any(
        isinstance(s, ast.FunctionDef) and s.name == "__call__" for s in made.body
    )
    return own or any(
        _defines_call(base.id, classes, depth + 1)
        for base in made.bases
        if isinstance(base, ast.Name)
    )


def write_out_blocks(text: Text) -> Text:
    """The text in which such a block of the one object of a class is written out."""
    if "def __enter__(" not in text.source:
        return text
    scopes = build_scopes(parse_source(text.source))
    for made in scopes.tree.body:
        if (
            isinstance(made, ast.ClassDef)
            and len(scopes.module.bindings[made.name]) == 1
        ):
            new = _write_out_block(text, scopes, made)
            if new is not None:
                return new
    return text


def _write_out_block(text: Text, scopes: Scopes, owner: ast.ClassDef) -> Text | None:
    methods = {s.name: s for s in owner.body if isinstance(s, ast.FunctionDef)}
    enter, leave = methods.get("__enter__"), methods.get("__exit__")
    if enter is None or leave is None or not _does_only_close(leave):
        return None
    last = _find_returned_self(enter)
    if last is None or not text.is_alone(last) or len(enter.body) == 1:
        return None
    objects = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name) and node.id == owner.name
    ]
    explicit = any(
        isinstance(node, ast.Attribute) and node.attr in ("__enter__", "__exit__")
        for node in scopes.walk()
    )
    if len(objects) != 1 or explicit:
        return None
    call = scopes.parents[objects[0]]
    item = scopes.parents[call]
    block = scopes.parents.get(item)
    if not (
        isinstance(call, ast.Call)
        and isinstance(item, ast.withitem)
        and isinstance(item.optional_vars, ast.Name)
        and isinstance(block, ast.With)
        and len(block.items) == 1
        and text.is_alone(block)
        and block.body[0].lineno > (call.end_lineno or call.lineno)
        and _runs_to_its_end(scopes, block)
    ):
        return None
    name = item.optional_vars.id
    if len(scopes.find_scope(block).bindings[name]) != 1:
        return None
    outer, inner = text.find_indentation(block), text.find_indentation(block.body[0])
    header = call.end_lineno or call.lineno
    end = block.end_lineno or block.lineno
    origins = text.origins
    here, there = origins[block.lineno - 1], origins[end - 1]
    lines = [
        f"{outer}{name} = {text.flatten_segment(call)}",
        f"{outer}{name}.__enter__()",
    ]
    lines += [
        outer + line.removeprefix(inner) if line.strip() else ""
        for line in text.lines[header:end]
    ]
    lines.append(f"{outer}{name}.__exit__()")
    text = text.splice(
        block.lineno, end, lines, [here, here, *origins[header:end], there]
    )
    own = leave.args.args[0].arg
    changes = [
        (last.lineno, last.end_lineno or last.lineno, []),
        (
            leave.lineno,
            leave.body[0].lineno - 1,
            [f"{text.find_indentation(leave)}def __exit__({own}):"],
        ),
    ]
    for first, end, new in sorted(changes, reverse=True):
        text = text.splice(first, end, new, [text.origins[first - 1]] * len(new))
    return text


def _does_only_close(method: ast.FunctionDef) -> bool:
    """Whether `__exit__` does nothing but close what the object holds."""
    if method.decorator_list or not method.args.args:
        return False
    if method.body[0].lineno == method.lineno:
        return False
    own = method.args.args[0].arg
    for statement in method.body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Attribute(value=ast.Name(id=held)), attr="close"
                    ),
                    args=[],
                    keywords=[],
                )
            ) if held == own:
                continue
            case ast.Pass() | ast.Return(value=None):
                continue
            case ast.Return(value=ast.Constant(value=None | False)):
                continue
            case _:
                return False
    return True


def _find_returned_self(method: ast.FunctionDef) -> ast.Return | None:
    """Finds `return self` at a method's end, if it is the only return."""
    returns = [n for n in walk_breadth_first(method) if isinstance(n, ast.Return)]
    last = method.body[-1]
    match last:
        case ast.Return(value=ast.Name(id=given)) if returns == [last]:
            own = method.args.args[0].arg if method.args.args else ""
            return last if given == own and not method.decorator_list else None
    return None


def _runs_to_its_end(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block is left at its end, or by an error that ends the program."""
    if any(
        isinstance(above, ast.For | ast.While | ast.Try)
        for above in scopes.walk_above(block)
    ):
        return False
    return not any(
        isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)
        for statement in block.body
        for node in walk_breadth_first(statement)
    ) and not any(find_lines_inside_strings(s) for s in block.body)
