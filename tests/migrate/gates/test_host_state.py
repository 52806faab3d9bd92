"""Checks that no trace of a step changes what TF1 changed once, in its graph."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from reference import processes, runner

HEAD = "import collections, functools, itertools\nimport numpy as np\nimport tensorflow as tf\n"
TAIL = """
x = tf.placeholder(tf.float32, [])
y = act(act(x))
t = tf.square(y)
with tf.Session() as s:
    print(s.run(y, {x: 2.0}))
    print(s.run(t, {x: 2.0}))
"""
COUNTER = """
class Counter(object):
    n = 0
    {}
c = Counter()
def act(x): return x * {}
"""
UP = "def up(self): self.n += 1; return self.n"

# What each call of `act` finds otherwise, because one before has changed it.
CHANGES = {
    "attribute": COUNTER.format(UP, "c.up()"),
    "in print": COUNTER.format(UP, "c.n; print(c.up())"),
    "class": COUNTER.format(UP.replace("self.n", "type(self).n"), "c.up()"),
    "class method": COUNTER.format(
        "@classmethod\n    def up(cls): cls.n += 1; return cls.n", "c.up()"
    ),
    "property": COUNTER.format(f"@property\n    {UP}", "c.up"),
    "operator": COUNTER.format(
        "def __mul__(self, other): self.n += 1; return other * self.n",
        "1; return c * x",
    ),
    "item": COUNTER.format(UP.replace("up(self)", "__getitem__(self, k)"), "c[0]"),
    "call": COUNTER.format(UP.replace("up(self)", "__call__(self)"), "c()"),
    "text": COUNTER.format(
        "def __str__(self): Counter.n += 1; return '7'", "float(str(c)); print(c.n)"
    ),
    "setattr": COUNTER.format(
        "def up(self): setattr(self, 'n', self.n + 1); return self.n", "c.up()"
    ),
    "dict of attributes": COUNTER.format(
        "def __init__(self): self.n = 0\n"
        "    def up(self): self.__dict__['n'] += 1; return self.n",
        "c.up()",
    ),
    "context": """
class Deeper(object):
    depth = 0
    def __enter__(self): Deeper.depth += 1; return self.depth
    def __exit__(self, *a): return False
def act(x):
    with Deeper() as depth:
        return x * depth
""",
    "once": """
class Net(object):
    def __init__(self): self.scale = None
    def act(self, x):
        if self.scale is None:
            self.scale = 3.0
            return x
        return x * self.scale
net = Net()
act = net.act
""",
    "global": """
n = 0
def act(x):
    global n
    n += 1
    return x * n
""",
    "globals()": "\nn = 0\ndef act(x):\n    globals()['n'] += 1\n    return x * n\n",
    "nonlocal": """
def make():
    n = 0
    def act(x):
        nonlocal n
        n += 1
        return x * n
    return act
act = make()
""",
    "depth": """
depth = 0
def act(x):
    global depth
    depth += 1
    if depth > 1:
        return x * 3.0
    return x
""",
    "decorator": """
def counted(f):
    def wrapper(x):
        wrapper.calls += 1
        return f(x) * wrapper.calls
    wrapper.calls = 0
    return wrapper
@counted
def act(x): return x * 2.0
""",
    "entry": "\nk = {'n': 0}\ndef act(x):\n    k['n'] += 1\n    return x * k['n']\n",
    "entry of an entry": """
k = {"a": {"n": 0}}
def act(x):
    k["a"]["n"] += 1
    return x * k["a"]["n"]
""",
    "argument": """
k = {"n": 0}
def up(c):
    c["n"] += 1
    return c["n"]
def act(x): return x * up(k)
""",
    "default": "\ndef act(x, seen=[]):\n    seen.append(1)\n    return x * len(seen)\n",
    "defaultdict": """
counts = collections.defaultdict(int)
def act(x):
    counts["relu"] += 1
    return x * counts["relu"]
""",
    "in place": "\na = []\ndef act(x):\n    global a\n    a += [1]\n    return x * len(a)\n",
    "delete": "\na = [2, 3, 4]\ndef act(x):\n    del a[0]\n    return x * a[0]\n",
    "rotate": """
q = collections.deque([1.0, 2.0, 3.0])
def act(x):
    q.rotate(1)
    return x * q[0]
""",
    "unbound method": "\na = []\ndef act(x):\n    list.append(a, 1)\n    return x * len(a)\n",
    "out": "\na = np.ones([1])\ndef act(x):\n    np.add(a, 1, out=a)\n    return x * a[0]\n",
    "part of an array": "\na = np.ones([1])\ndef act(x):\n    a[...] = a + 1\n    return x * a[0]\n",
    "next": "\nids = itertools.count(1)\ndef act(x): return x * ids.__next__()\n",
    "partial": "\nup = functools.partial(next, itertools.count(1))\ndef act(x): return x * up()\n",
    "loop over an iterator": """
ids = iter(range(1, 9))
def act(x):
    for i in ids:
        return x * i
""",
    "target of a loop": """
k = {"i": 5}
def act(x):
    x = x * k["i"]
    for k["i"] in range(1, 3):
        x = x + k["i"]
    return x
""",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_several_steps_is_refused_at_its_line(change: str) -> None:
    text = HEAD + CHANGES[change] + TAIL
    found = [f for f in migrate_text(text).findings if f.code in ("G007", "G007")]
    assert found, migrate_text(text).text
    last = text.index("x = tf.placeholder")
    assert min(f.line for f in found) <= text[:last].count("\n")


# What is made by the trace itself, or is the same whenever it is asked for.
KEPT = {
    "list": """
def act(x):
    parts = []
    for i in range(3):
        parts.append(x * i)
    return tf.add_n(parts)
""",
    "dict": """
def act(x):
    d = dict(a=1.0)
    d["b"] = 2.0
    d.update(c=3.0)
    return x * sum(d.values())
""",
    "object": """
class Box(object):
    def __init__(self, n): self.n = n; self.seen = []
    def up(self): self.n += 1; self.seen.append(self.n); return self.n
def act(x):
    b = Box(0)
    b.up()
    return x * float(b.up()) * len(b.seen)
""",
    "array": """
def act(x):
    a = np.zeros([2])
    a[0] = 3.0
    a += 1.0
    return x * float(a.sum())
""",
    "around a function": """
def act(x):
    out = []
    def add(v): out.append(v)
    add(x)
    add(x * 2.0)
    return tf.add_n(out)
""",
    "given on": """
def fill(target, v):
    target.append(v)
    return target
def act(x):
    return tf.add_n(fill(fill([], x), x + 1.0))
""",
    "default that is nothing": """
def act(x, extra=None):
    extra = extra or {}
    extra.setdefault("m", 2.0)
    return x * extra["m"]
""",
    "before": """
sizes = [1, 2]
sizes.append(3)
k = {"k": 1.0}
k["k"] = 2.0
def act(x): return x * k["k"] * len(sizes)
""",
    "attribute of its own": """
class Net(object):
    def __init__(self, scale): self.scale, self.out = scale, {}
    def build(self, x):
        self.out["h"] = x * self.scale
        self.y = self.out["h"] + 1.0
        return self.y
def act(x): return Net(2.0).build(x)
""",
    "sizes of its own": """
def act(x):
    sizes = []
    for i in range(3):
        sizes.append(i + 1.0)
    k = {"n": 0}
    k["n"] += len(sizes)
    return x * sum(sizes) * k["n"]
""",
    "parameter of that name": """
class Net(object):
    def __init__(self, kind="a"):
        if kind not in "ab":
            raise ValueError("no {}".format(kind))
        self.kind = kind
    def __call__(self, x):
        return x * 2.0 if self.kind == "a" else x
def act(x): return Net()(x)
""",
}


@pytest.mark.parametrize("state", KEPT)
def test_what_a_trace_makes_it_may_change(state: str) -> None:
    done = migrate_text(HEAD + KEPT[state] + TAIL)
    assert not [f for f in done.findings if f.code.startswith(("G", "N", "S112"))]
    assert "placeholder" not in done.text


def test_what_is_kept_computes_what_tf1_computed(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    """All in one program: the results of both TensorFlows are the same lines."""
    parts = [
        part.replace("act(", f"act{i}(").replace("Net", f"Net{i}")
        for i, part in enumerate(KEPT.values())
    ]
    whole = "def act(x):\n    return [{}]\n".format(
        ", ".join(f"act{i}(act{i}(x))" for i in range(len(parts)))
    )
    tail = TAIL.replace("act(act(x))", "tf.stack(act(x))")
    text = "".join((HEAD, *parts, whole, tail))
    done = migrate_text(text)
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(text)
    new.write_text(done.text)
    beside.write(tmp_path, done.text)
    printed = [
        processes.run_program([python, path], environment=runner.ENVIRONMENT).stdout
        for python, path in ((tf1, old), (sys.executable, new))
    ]
    assert printed[0] == printed[1] and printed[0].count("[") == 2
