"""Names that several files of a program bind: `cifar10.inputs` and `cifar10_input.inputs`.

In one text only one of them can have it. The program keeps its names, and of modules the
first does; others are named after their modules, `cifar10_input_inputs`.
"""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.normalise.text import Edit
from migrate.parts.module import Imported, Module

Names = Mapping[tuple[str, str], str]


def rename_clashing_names(
    program: str,
    modules: Mapping[str, Module],
    imports: Mapping[str, Sequence[Imported]],
) -> Names:
    """Maps (file, name there) to the name in the joined text, if that differs.

    Args:
      program: the program's real path.
      modules: the program and its modules, by real path.
      imports: what each of them imports of the tree.
    """
    hidden = {
        name
        for path, module in modules.items()
        for name in _find_hidden_names(module, imports.get(path, ()))
    }
    taken = set().union(*[module.names for module in modules.values()])
    first: dict[str, str] = {}
    found: dict[tuple[str, str], str] = {}
    for path in [program, *sorted(p for p in modules if p != program)]:
        module = modules[path]
        for name in _list_own_names(module):
            if first.setdefault(name, path) == path and (path, name) not in hidden:
                continue
            wish = f"{pathlib.PurePath(path).stem}_{name}"
            while wish in taken:
                wish += "_2"
            taken.add(wish)
            found[path, name] = wish
    return found


def _find_hidden_names(
    module: Module, imports: Sequence[Imported]
) -> Iterator[tuple[str, str]]:
    """Yields names of modules that a function uses and also binds itself.

    `loss = model.loss(logits)`. As (file, its name).
    """
    targets: dict[str, list[str]] = {}
    for imported in imports:
        if imported.member is None:
            targets.setdefault(imported.name, []).append(imported.target)
    for node in module.walk() if targets else ():
        if isinstance(node, ast.Attribute):
            meant = targets.get(names.find_key(node.value) or "", ())
            owner = (
                module.scopes.find_scope(node).find_owner(node.attr) if meant else None
            )
            if owner is not None and owner is not module.scopes.module:
                yield from ((target, node.attr) for target in meant)


def _list_own_names(module: Module) -> Iterator[str]:
    """Names that a file makes itself: not what it imports, nor TensorFlow's by a name."""
    for name, bindings in module.scopes.module.bindings.items():
        if not all(
            isinstance(b, (ast.Import, ast.ImportFrom)) or _is_alias(module, b)
            for b in bindings
        ):
            yield name


def _is_alias(module: Module, binding: ast.AST) -> bool:
    """`FLAGS = tf.app.flags.FLAGS`."""
    return (
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, (ast.Attribute, ast.Name))
        and (module.scopes.resolve(binding.value) or "").startswith("tf.")
    )


def rename_own_names(module: Module, given: Names) -> list[Edit]:
    """Edits that give a file's own names those that they have in the text of all."""
    own = {name: new for (path, name), new in given.items() if path == module.path}
    edits: list[Edit] = []
    for node in module.walk() if own else ():
        if isinstance(node, ast.Name) and node.id in own:
            owner = module.scopes.find_scope(node).find_owner(node.id)
            if owner is module.scopes.module:
                edits.append(Edit(node, own[node.id]))
        elif (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and node.name in own
            and module.scopes.parents.get(node) is module.tree
        ):
            edits.append(Edit(_find_name(module, node), own[node.name]))
    return edits


def _find_name(module: Module, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
    """Returns a node at the place of a definition's name."""
    line = module.text.lines[node.lineno - 1]
    found = re.match(r"\s*(?:def|class)\s+", line)
    start = found.end() if found else node.col_offset
    begin, end = (len(line[:at].encode()) for at in (start, start + len(node.name)))
    place = ast.Name(node.name, ast.Load())
    place.lineno = place.end_lineno = node.lineno
    place.col_offset, place.end_col_offset = begin, end
    return place
