"""Classes with what they inherit: what Python would do, and what is left as it is."""

from __future__ import annotations

import pytest

from migrate.normalise.classes.inheritance import flatten_classes
from migrate.normalise.text import Text

BASE = """\
class Base(object):
    size = 3

    def __init__(self, name):
        self.name = name
        self.log = []

    def build(self):
        raise NotImplementedError

    def told(self, word):
        self.log.append(word)
        return "%s:%s" % (self.name, word)

    @property
    def last(self):
        return self.log[-1]
"""
SUBCLASSES = {
    "a constructor of its own": """\
class Model(Base):
    def __init__(self, name):
        super(Model, self).__init__(name + "!")
        self.build()

    def build(self):
        self.told("built")
""",
    "super without arguments": """\
class Model(Base):
    def __init__(self, name):
        super().__init__(name)
        self.build()

    def build(self):
        self.told("built")
""",
    "the base's constructor": """\
class Model(Base):
    def build(self):
        self.told("built")
""",
    "the base by its name": """\
class Model(Base):
    def __init__(self, name):
        Base.__init__(self, name)
        self.told("built")
""",
    "a method that calls the base's": """\
class Model(Base):
    size = 4

    def told(self, word):
        return super(Model, self).told(word * 2) + "."
""",
    "two levels": """\
class Middle(Base):
    def __init__(self, name, more):
        super(Middle, self).__init__(name + more)

    def told(self, word):
        return super(Middle, self).told(word + "?")


class Model(Middle):
    def __init__(self, name):
        super(Model, self).__init__(name, "+")

    def told(self, word):
        return super(Model, self).told(word + "!")
""",
}
USE = """\
model = Model("one")
said = [model.told("a"), model.told("b"), model.last, model.size, sorted(vars(model))]
said.append(model.log)
"""


def _said(source: str) -> object:
    names: dict[str, object] = {}
    exec(compile(source, "example.py", "exec"), names)
    return names["said"]


@pytest.mark.parametrize("name", SUBCLASSES)
def test_it_does_what_it_did(name: str) -> None:
    source = f"{BASE}\n\n{SUBCLASSES[name]}\n\n{USE}"
    new = flatten_classes(Text.read_source(source))
    assert "super" not in new.source and "Base(object)" not in new.source
    assert _said(new.source) == _said(source)
    assert len(new.lines) == len(new.origins)


@pytest.mark.parametrize(
    "source",
    [
        # The base is used for itself.
        f"{BASE}\n\n{SUBCLASSES['super without arguments']}\n\nbase = Base('b')\n",
        f"{BASE}\n\n{SUBCLASSES['super without arguments']}\n\nisinstance(1, Base)\n",
        # Several bases; a base of another file; a name with the class's own in it.
        f"{BASE}\n\nclass Model(Base, dict):\n    pass\n",
        "class Model(other.Base):\n    def f(self):\n        return super().f()\n",
        BASE.replace("self.name", "self.__name") + "\n\nclass Model(Base):\n    pass\n",
        # A decorator that sees the class or the function.
        f"{BASE}\n\n@register\nclass Model(Base):\n    pass\n",
        BASE.replace("@property", "@cached") + "\n\nclass Model(Base):\n    pass\n",
        # The class it stands in is asked for.
        f"{BASE}\n\nclass Model(Base):\n    def f(self):\n        return super().told\n",
    ],
)
def test_what_is_not_certain_stays(source: str) -> None:
    assert flatten_classes(Text.read_source(source)).source == source


def test_they_do_not_all_do_the_same() -> None:
    said = {str(_said(f"{BASE}\n\n{s}\n\n{USE}")) for s in SUBCLASSES.values()}
    assert len(said) >= 4
