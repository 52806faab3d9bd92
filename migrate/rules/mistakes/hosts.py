"""D101: all hosts of a job in one string, "host1:2222,host2:2222".

ClusterSpec takes a list of addresses. A string raises TypeError; a list of one such
string is a job of one task, whose address nobody answers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import make_code
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    list_calls,
)

_FLAGS = frozenset({"DEFINE_string"})
# Names of flags for several hosts. If such a flag is given, its parts are the hosts.
_SEVERAL = re.compile(
    r"(^|_)(hosts|workers|servers|addresses|addrs|nodes|machines|peers)$"
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    for call, symbol in list_calls(scopes):
        given = names.find_argument(call, "cluster", 0)
        if symbol == "tf.train.ClusterSpec" and given is not None:
            for hosts in _find_jobs(scopes, given):
                yield from _check_hosts(scopes, hosts)
    for cluster in _find_clusters(scopes):
        for hosts in _find_jobs(scopes, cluster):
            yield from _check_hosts(scopes, hosts)


def _find_clusters(scopes: Scopes) -> Iterator[ast.expr]:
    """Yields the clusters for TF_CONFIG: `{"cluster": {...}, "task": {...}}`."""
    if not any(names.read_literal(n) == "TF_CONFIG" for n in _find_constants(scopes)):
        return
    for node in scopes.walk():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and names.read_literal(key) == "cluster":
                    yield value


def _find_constants(scopes: Scopes) -> Iterator[ast.Constant]:
    return (n for n in scopes.walk() if isinstance(n, ast.Constant))


def _find_jobs(scopes: Scopes, given: ast.expr) -> Iterator[ast.expr]:
    """Yields the hosts of each job: of a dict, of `dict(ps=...)`, of `spec["ps"] = ...`."""
    made = find_binding(scopes, given) or given
    if isinstance(made, ast.Dict):
        yield from made.values
    elif isinstance(made, ast.Call) and names.find_key(made.func) == "dict":
        yield from (k.value for k in made.keywords if k.arg is not None)
    if not isinstance(given, ast.Name):
        return
    owner = scopes.find_scope(given).find_owner(given.id)
    for node in scopes.walk():
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if (
            isinstance(target, ast.Subscript)
            and isinstance(target.value, ast.Name)
            and target.value.id == given.id
            and scopes.find_scope(target.value).find_owner(given.id) is owner
        ):
            assert isinstance(node, ast.Assign)
            yield node.value


def _check_hosts(scopes: Scopes, value: ast.expr) -> Iterator[Mistake]:
    """Reports wrong addresses of a job, also if a name is bound to them."""
    bound = find_binding(scopes, value)
    if isinstance(bound, ast.List) and len(bound.elts) == 1:
        value = bound  # `workers = [FLAGS.worker_hosts]`
        bound = None
    inside = value
    if isinstance(value, ast.List) and len(value.elts) == 1:
        inside = value.elts[0]
        text = names.read_literal(find_binding(scopes, inside) or inside)
        several = isinstance(text, str) and "," in text
        if not several and not _is_text_flag(scopes, inside, several=True):
            return  # One host in a list is right.
    elif isinstance(bound, ast.Constant) or _is_text_flag(scopes, bound):
        inside = bound if isinstance(bound, ast.Constant) else value
    elif isinstance(value, ast.Name) and bound is None:
        default = _find_default(scopes, value)
        if default is not None and "," in default:
            bound = inside = ast.Constant(default)
    text = names.read_literal(inside)
    given = _find_joined(inside) or _find_joined(bound)
    if given is not None:
        fix = make_code(given)
    elif isinstance(text, str):
        listed = ", ".join(f'"{part.strip()}"' for part in text.split(","))
        fix = make_code(
            f"[{listed}]" if inside is not bound else f'{value.id}.split(",")'  # type: ignore[attr-defined]
        )
    elif any(
        _is_text_flag(scopes, n) or _is_text(scopes, n) for n in (inside, bound)
    ) or isinstance(names.read_literal(find_binding(scopes, inside)), str):
        bracketed = isinstance(inside, ast.BinOp)
        fix = make_code("(" * bracketed, inside, ")" * bracketed, '.split(",")')
    else:
        return
    yield Mistake(
        value,
        "D101",
        "the hosts of a job are one string, but a cluster takes a list of addresses",
        'Split the string: hosts.split(",").',
        ((value, fix),),
        "tf.train.ClusterSpec",
    )


def _find_joined(node: ast.expr | None) -> ast.expr | None:
    """Returns `hosts` of `",".join(hosts)`."""
    if (
        isinstance(node, ast.Call)
        and find_method(node) == "join"
        and isinstance(node.func, ast.Attribute)
        and names.read_literal(node.func.value) == ","
        and len(node.args) == 1
        and not isinstance(node.args[0], ast.GeneratorExp)
    ):
        return node.args[0]
    return None


def _find_default(scopes: Scopes, name: ast.Name) -> str | None:
    """Returns the default text of a parameter that no call gives."""
    scope = scopes.find_scope(name).find_owner(name.id)
    function = scope.node if scope is not None else None
    if not isinstance(function, ast.FunctionDef) or scope is None:
        return None
    if not all(isinstance(b, ast.arg) for b in scope.bindings[name.id]):
        return None
    parameters = [a.arg for a in function.args.args]
    if name.id not in parameters:
        return None  # `*hosts`, or a keyword-only parameter.
    at = parameters.index(name.id)
    called = values.find_calls(scopes, function) or []
    if any(names.find_argument(c, name.id, at) is not None for c in called):
        return None
    listed = function.args.args[len(function.args.args) - len(function.args.defaults) :]
    for parameter, default in zip(listed, function.args.defaults, strict=True):
        if parameter.arg == name.id:
            text = names.read_literal(default)
            return text if isinstance(text, str) else None
    return None


def _is_text(scopes: Scopes, node: ast.expr | None) -> bool:
    """Whether an expression is a string of hosts: from the environment, `sys.argv` or `%`."""
    if isinstance(node, ast.Subscript):
        if scopes.find_dotted_path(node.value) == "sys.argv":
            return not isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.Call) and find_method(node) == "join":
        assert isinstance(node.func, ast.Attribute)
        return names.read_literal(node.func.value) == ","
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text = names.read_literal(node.left)
        return isinstance(text, str) and "," in text
    return _is_from_environment(scopes, node)


def _is_from_environment(scopes: Scopes, node: ast.expr | None) -> bool:
    """Whether an expression is `os.environ["WORKER_HOSTS"]`, which is a string."""
    if isinstance(node, ast.Subscript):
        return scopes.find_dotted_path(node.value) == "os.environ"
    return isinstance(node, ast.Call) and scopes.find_dotted_path(node.func) in (
        *("os.environ.get", "os.getenv"),
    )


def _is_text_flag(scopes: Scopes, node: ast.expr | None, several: bool = False) -> bool:
    """Whether an expression is `FLAGS.ps_hosts`, of a flag that is a string.

    Args:
      several: whether the flag's name, default or help has to speak of several hosts.
    """
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    if any(
        isinstance(n, ast.Attribute)
        and n.attr == node.attr
        and isinstance(n.ctx, ast.Store)
        for n in scopes.walk()
    ):
        return False  # The program may split it, and store the result.
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = names.read_literal(call.args[0])
        if several and not (_says_several(call) or _is_named_for_several(call)):
            continue
        if _defines(call) and name == node.attr:
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
            kind = names.find_argument(call, "type")
            plain = kind is None or (isinstance(kind, ast.Name) and kind.id == "str")
            listed = names.find_argument(call, "nargs") or names.find_argument(
                call, "action"
            )
            if name == f"--{node.attr}" and plain and listed is None:
                return True
    return False


def _is_named_for_several(flag: ast.Call) -> bool:
    """Whether a flag is named for several hosts, and is empty by default."""
    default = names.find_argument(flag, "default", 1 if _defines(flag) else None)
    name = names.read_literal(flag.args[0])
    several = isinstance(name, str) and _SEVERAL.search(name.removeprefix("--"))
    return bool(several) and names.read_literal(default) == ""


def _defines(flag: ast.Call) -> bool:
    return isinstance(flag.func, ast.Attribute) and flag.func.attr in _FLAGS


def _says_several(flag: ast.Call) -> bool:
    """Whether a flag's default has a comma, or its help mentions one."""
    texts = [
        names.read_literal(a)
        for a in (*flag.args[1:], *(k.value for k in flag.keywords))
    ]
    return any(
        isinstance(text, str) and ("," in text.rstrip(",. ") or "comma" in text.lower())
        for text in texts
    )
