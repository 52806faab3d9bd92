"""TF1 to TF1: a Supervisor that an object keeps, as one of the method that uses it.

    def __init__(self, logdir):
        self.logdir = logdir
        self.build()
        self.sv = tf.train.Supervisor(logdir=logdir, global_step=self.step)

    def train(self):
        with self.sv.managed_session() as sess:

becomes `sv = tf.train.Supervisor(logdir=self.logdir, ...)` at the head of `train`. What it
is made of is made before it in the constructor, and nothing of the graph after it.

Where several methods use it, its session has to be the object's, too:

        self.sess = self.sv.prepare_or_wait_for_session()
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.supervisors.arguments import Unclear
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


def move_into_method(text: Text) -> Text:
    """The text with such a Supervisor in the one method that uses it."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for made in walk_breadth_first(tree):
        if not (
            isinstance(made, ast.Assign)
            and len(made.targets) == 1
            and isinstance(made.targets[0], ast.Attribute)
            and isinstance(made.value, ast.Call)
            and scopes.resolve(made.value.func) == "tf.train.Supervisor"
            and text.is_alone(made)
            and not find_lines_inside_strings(made)
        ):
            continue
        moved = _move_supervisor(text, scopes, made)
        if moved is not None:
            return moved
    return text


def _move_supervisor(text: Text, scopes: Scopes, made: ast.Assign) -> Text | None:
    target = made.targets[0]
    assert isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    home = scopes.parents[made]
    owner = scopes.parents[home] if isinstance(home, ast.FunctionDef) else None
    if not isinstance(home, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return None
    own = home.args.args[0].arg if home.args.args else None
    if target.value.id != own:
        return None
    uses = [
        n
        for n in walk_breadth_first(scopes.tree)
        if isinstance(n, ast.Attribute) and n.attr == target.attr and n is not target
    ]
    users = {_find_method(scopes, n) for n in uses}
    if len(users) != 1:
        return None
    (user,) = users
    if user is None or scopes.parents[user] is not owner:
        return None
    if any(names.find_key(n) != f"{user.args.args[0].arg}.{target.attr}" for n in uses):
        return None
    name = target.attr.lstrip("_")
    taken = find_plain_names(owner)
    while name in taken:
        name += "_"
    edits = [Edit(n, name) for n in uses]
    if user is home:
        return text.apply_edits([*edits, Edit(target, name)])
    value = _find_value(text, home, made, user.args.args[0].arg)
    if value is None:
        return None
    first = user.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        if len(user.body) == 1:
            return None
        first = user.body[1]
    indent = text.lines[first.lineno - 1][: first.col_offset]
    origin = text.origins[made.lineno - 1]
    begun, last = made.lineno, made.end_lineno or made.lineno
    alone = [f"{text.lines[begun - 1][: made.col_offset]}pass"]
    left = alone if len(home.body) == 1 else []
    changes = [
        (first.lineno, first.lineno - 1, [f"{indent}{name} = {value}"]),
        (begun, last, left),
    ]
    text = text.apply_edits(edits)
    for start, end, lines in sorted(changes, reverse=True):
        text = text.splice(start, end, lines, [origin] * len(lines))
    return text


def check(
    scopes: Scopes, supervisor: ast.expr, statement: ast.stmt, session: str
) -> None:
    """Refuses a Supervisor or session that another object or method may use.

    Args:
      supervisor: what it is assigned to.
      statement: what opens the session.
      session: its name.

    Raises:
      Unclear: another object may have it, or another method its name.
    """
    home = _find_method(scopes, supervisor)
    if (
        home is None
        or home is not _find_method(scopes, statement)
        or not home.args.args
    ):
        raise Unclear
    owner, own = scopes.parents[home], home.args.args[0].arg
    for name in filter(None, (names.find_key(supervisor), session)):
        base, _, attribute = name.rpartition(".")
        if base not in ("", own) or not isinstance(owner, ast.ClassDef):
            raise Unclear
        for node in walk_breadth_first(scopes.tree):
            if not base and isinstance(node, ast.Name) and node.id == attribute:
                if _find_method(scopes, node) is not home:
                    raise Unclear
            if not base or not isinstance(node, ast.Attribute):
                continue
            if node.attr == attribute:
                user = _find_method(scopes, node)
                if user is None or scopes.parents[user] is not owner:
                    raise Unclear
                if names.find_key(node) != f"{user.args.args[0].arg}.{attribute}":
                    raise Unclear
                if user.args.args[0].arg != own:
                    raise Unclear


def _find_value(
    text: Text, home: ast.FunctionDef, made: ast.Assign, own: str
) -> str | None:
    """The Supervisor as another method makes it; None if that is another one."""
    if home.name != "__init__" or made not in home.body:
        return None
    later = home.body[home.body.index(made) + 1 :]
    if any(isinstance(n, ast.Call) for s in later for n in walk_breadth_first(s)):
        return None
    kept = {
        statement.value.id: f"{own}.{statement.targets[0].attr}"
        for statement in home.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Name)
        and isinstance(statement.targets[0], ast.Attribute)
        and names.find_key(statement.targets[0].value) == home.args.args[0].arg
    }
    local = {a.arg for a in home.args.args[1:]} | {a.arg for a in home.args.kwonlyargs}
    local = local.union(*[names.find_binds(s) for s in home.body])
    if own != home.args.args[0].arg:
        return None
    for node in walk_breadth_first(made.value):
        if isinstance(node, ast.Name) and node.id in local and node.id not in kept:
            return None

    class Kept(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            shown = kept.get(node.id) if node.id in local else None
            return ast.parse(shown, mode="eval").body if shown else node

    return ast.unparse(
        Kept().visit(ast.parse(text.find_segment(made.value), mode="eval"))
    )


def _find_method(scopes: Scopes, node: ast.AST) -> ast.FunctionDef | None:
    """The outermost function that a node stands in."""
    found: ast.FunctionDef | None = None
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.FunctionDef):
            found = node
        if isinstance(node, ast.ClassDef):
            return found
    return None
