"""Records the program's calls of TensorFlow, and the operations that each adds.

A call is an entry into TensorFlow's code from the program's: what TensorFlow calls of itself
belongs to it, and what TensorFlow calls of the program (the body of a loop) makes calls below it.
"""

import inspect
import os
import sys

from .encode import encode

_OURS, _USER, _OTHER = "tensorflow", "user", "other"
# Wrappers that TensorFlow puts around its functions, and what they call the function.
_WRAPPED = ("func", "target", "fn", "_new_func", "wrapped", "method", "f")
# Code of TensorFlow that builds nothing and is called often.
_QUIET = (
    "examples/",
    "client/session",
    "platform/",
    "lib/io",
    "contrib/learn/python/learn/datasets",
)
_QUIET += ("keras/datasets", "summary/writer", "training/coordinator")
_MOST = 200000


class Call:
    """One call: who it is, where, with what, and what it added."""

    __slots__ = (
        "label",
        "at",
        "given",
        "result",
        "first",
        "last",
        "graph",
        "parent",
        "code",
    )

    def __init__(self, label, code, at, given, graph, first, parent):
        self.label, self.code, self.at, self.given = label, code, at, given
        self.graph, self.first, self.parent = graph, first, parent
        self.last = None
        self.result = None


class Calls:
    """Watches this thread from `start` to `stop`."""

    def __init__(self, roots, own):
        self._roots, self._own = tuple(roots), tuple(own)
        self._kinds = {}
        self._stack = []
        self.found = []
        self.overflown = False

    def start(self):
        import tensorflow
        from tensorflow.python.framework import ops

        base = os.path.dirname(os.path.abspath(ops.__file__))
        for _ in range(2):
            base = os.path.dirname(base)
        self._base = base + os.sep
        estimator = os.path.join(os.path.dirname(base), "tensorflow_estimator") + os.sep
        self._tensorflow = (self._base, estimator)
        self._graph = ops.get_default_graph
        del tensorflow
        sys.setprofile(self._seen)

    def stop(self):
        sys.setprofile(None)

    def where(self):
        """(file, line) of the program's innermost frame now."""
        frame = sys._getframe(1)
        while frame is not None:
            if self._kind(frame.f_code) == _USER:
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return "", 0

    def entry(self):
        """The label of the entry that is open now."""
        for _, kind, call in reversed(self._stack):
            if kind == _OURS:
                return call.label if call is not None else ""
        return ""

    def _kind(self, code):
        kind = self._kinds.get(code)
        if kind is None:
            name = code.co_filename
            if name.startswith(self._tensorflow):
                quiet = name[len(self._base) :].startswith(_QUIET)
                kind = "quiet" if quiet else _OURS
            elif name.startswith(self._roots) and not name.startswith(self._own):
                kind = _USER
            else:
                kind = _OTHER
            self._kinds[code] = kind
        return kind

    def _seen(self, frame, event, value):
        if event == "call":
            kind = self._kind(frame.f_code)
            if kind is _OTHER:
                return
            stack = self._stack
            now = stack[-1][1] if stack else _USER
            if kind == now or (kind is _USER and not stack):
                return
            if kind is _USER:
                stack.append((frame, _USER, None))
            elif now is _USER:
                stack.append(
                    (frame, _OURS, self._open(frame) if kind is _OURS else None)
                )
        elif event == "return":
            stack = self._stack
            if stack and stack[-1][0] is frame:
                call = stack.pop()[2]
                if call is not None:
                    self._close(call, value)

    def _open(self, frame):
        if len(self.found) >= _MOST:
            self.overflown = True
            return None
        graph = self._graph()
        label, code, given = _describe(frame)
        at = frame.f_back
        while at is not None and self._kind(at.f_code) is not _USER:
            at = at.f_back
        place = (at.f_code.co_filename, at.f_lineno) if at is not None else ("", 0)
        parent = next((c for _, _, c in reversed(self._stack) if c is not None), None)
        call = Call(label, code, place, given, graph, graph._next_id_counter, parent)
        self.found.append(call)
        return call

    def _close(self, call, value):
        call.last = call.graph._next_id_counter
        if call.last == call.first:
            # It has added nothing; its place in the record goes to the next one.
            if self.found and self.found[-1] is call:
                self.found.pop()
            return
        try:
            call.result = encode(value)
        except Exception:  # An object that cannot be looked at.
            call.result = ["o", type(value).__name__]


def _describe(frame):
    """(label, code, arguments) of the function that a frame of TensorFlow begins."""
    code, local = frame.f_code, frame.f_locals
    if code.co_name in (
        "binary_op_wrapper",
        "r_binary_op_wrapper",
        "_run_op",
        "binary_op_wrapper_sparse",
    ):
        return _operator(code, local), None, _encoded(local, ("x", "y", "a", "args"))
    target = None
    if "args" in local and "kwargs" in local:
        target = next((local[n] for n in _WRAPPED if callable(local.get(n))), None)
        closed = target is not None
        if not closed:
            return _named(code, local), code, {}
    if target is None:
        return _named(code, local), code, _encoded(local, _parameters(code))
    from tensorflow.python.util import tf_decorator

    try:
        target = tf_decorator.unwrap(target)[1]
        bound = inspect.signature(target).bind(*local["args"], **local["kwargs"])
        given = {name: encode(value) for name, value in bound.arguments.items()}
    except Exception:
        given = {}
    inner = getattr(target, "__code__", None)
    if inner is None:
        return getattr(target, "__name__", "?"), None, given
    owner = (
        local["args"][0]
        if local["args"] and inner.co_varnames[:1] == ("self",)
        else None
    )
    own = {"self": owner} if owner is not None else {}
    return _named(inner, own), inner, given


def _operator(code, local):
    name = local.get("op_name")
    if name is None:
        inner = local.get("tensor_oper")
        free = getattr(getattr(inner, "__code__", None), "co_freevars", ())
        if "op_name" in free:
            name = inner.__closure__[free.index("op_name")].cell_contents
        else:
            name = getattr(inner, "__name__", "?").strip("_")
    made_by = getattr(
        getattr(local.get("tensor_oper"), "__code__", None), "co_name", ""
    )
    mirrored = code.co_name.startswith("r_") or made_by.startswith("r_")
    side = "r" if mirrored else ""
    return "operator:%s%s" % (side, name)


def _named(code, local):
    """`module:Class.function`, as it is resolved to a public name when all is over."""
    path = code.co_filename
    for root in ("tensorflow_core" + os.sep, "tensorflow_estimator" + os.sep):
        if root in path:
            path = path[path.rindex(root) + len(root) :]
    owner = ""
    own = local.get("self")
    if own is not None:
        for cls in type(own).__mro__:
            member = cls.__dict__.get(code.co_name)
            member = getattr(member, "fget", member)
            if getattr(member, "__code__", None) is code:
                owner = cls.__name__ + "."
                break
        else:
            owner = type(own).__name__ + "."
    return "%s:%s%s" % (path[: -len(".py")], owner, code.co_name)


def _parameters(code):
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS)
    count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _encoded(local, names):
    found = {}
    for name in names:
        if name in local and name != "self":
            try:
                found[name] = encode(local[name])
            except Exception:
                found[name] = ["o", type(local[name]).__name__]
    return found
