"""Statements that only made sense beside code that is gone, and those that are the author's."""

from __future__ import annotations

import textwrap

import pytest

from migrate.tidying.remains import remove_remains
from migrate.tidying.tidy import tidy_text


def _tidy(old: str, new: str) -> str:
    old, new = textwrap.dedent(old), textwrap.dedent(new)
    return tidy_text(old, new, "example.py")


def test_an_empty_branch_goes() -> None:
    old = """
    def f(x):
        if x.ready:
            restore()
        else:
            initialise()
        if not x.sync:
            stop()
        return x
    """
    new = """
    def f(x):
        if x.ready:
            restore()
        else:
            pass
        if not x.sync:
            pass
        return x
    """
    assert _tidy(old, new) == textwrap.dedent("""
    def f(x):
        if x.ready:
            restore()
        return x
    """)


def test_a_chain_whose_branches_are_all_empty_goes() -> None:
    old = """
    def f(a):
        if a > 0:
            device = "/gpu:%d" % a
        elif a == 0:
            device = "/cpu:0"
        place(device)
        return a
    """
    new = """
    def f(a):
        if a > 0:
            device = "/gpu:%d" % a
        elif a == 0:
            device = "/cpu:0"
        return a
    """
    assert _tidy(old, new) == "\ndef f(a):\n    return a\n"


@pytest.mark.parametrize(
    "test, why",
    [
        ("next(rows)", "it has an effect"),
        ("x.ready:  # Read by hand.\n        pass\n    elif x", "a comment"),
    ],
)
def test_an_empty_branch_stays_where(test: str, why: str) -> None:
    old = "def f(x):\n    return 1\n"
    new = f"def f(x):\n    if {test}:\n        pass\n    return 1\n"
    assert _tidy(old, new) == new, why


def test_a_branch_that_was_empty_before_stays() -> None:
    old = "if ready:\n    pass\nrun()\n"
    assert _tidy(old, old.replace("run()", "call()")) == "if ready:\n    pass\ncall()\n"


def test_the_only_statement_of_a_suite_becomes_pass() -> None:
    old = "def f(a):\n    for i in a:\n        x = a\n        run(x)\n"
    new = "def f(a):\n    for i in a:\n        x = a\n"
    assert _tidy(old, new) == "def f(a):\n    for i in a:\n        pass\n"


def test_an_update_that_nobody_asks_for_has_no_name() -> None:
    old = """
    def f(opt, grads):
        train_op = opt.apply_gradients(grads,
                                       step)
        run(train_op)
    """
    new = """
    def f(opt, grads):
        train_op = opt.apply_gradients(grads,
                                       step)
        return grads
    """
    assert _tidy(old, new) == textwrap.dedent("""
    def f(opt, grads):
        opt.apply_gradients(grads,
                            step)
        return grads
    """)


def test_a_text_of_several_lines_does_not_move() -> None:
    old = "def f(opt):\n    a = opt.apply_gradients('''x\n                   y''')\n    run(a)\n"
    new = old.replace("run(a)", "run()")
    assert remove_remains(old, new) == new


def test_a_value_that_is_read_stays() -> None:
    old = "def f(x):\n    a = x.b\n    run(a)\n"
    for use in ("a += 1", "del a", "g(lambda: a)", "return f'{a}'", "print(locals())"):
        new = f"def f(x):\n    a = x.b\n    {use}\n"
        assert _tidy(old, new) == new


def test_a_name_that_another_function_has_stays() -> None:
    old = "def f(x):\n    global a\n    a = x\n    run(a)\n"
    new = "def f(x):\n    global a\n    a = x\n"
    assert _tidy(old, new) == new
    new = "def f(x):\n    a = 1\n    def g():\n        nonlocal a\n        a = x\n\n    return g\n"
    assert _tidy("def f(x):\n    run(a)\n", new) == new


def test_what_the_author_did_not_read_stays() -> None:
    old = "def f(x):\n    a = x.b\n    run()\n"
    new = old.replace("run()", "call()")
    assert _tidy(old, new) == new


def test_a_call_whose_value_nobody_reads_stays() -> None:
    old = "def f(x):\n    a = make(x)\n    run(a)\n"
    new = "def f(x):\n    a = make(x)\n    return x\n"
    assert _tidy(old, new) == new


def test_the_last_use_of_an_import_stays() -> None:
    old = "import loop\n\n\ndef f(x):\n    E = loop\n    return E.g(x)\n"
    new = "import loop\n\n\ndef f(x):\n    E = loop\n    return x\n"
    assert _tidy(old, new) == new


def test_a_second_name_goes() -> None:
    old = "def f(x):\n    a = average(x)\n    return zip(*a)\n"
    new = "def f(x):\n    b = list(x)\n    a = b\n    return zip(*a), g(a, é=a)\n"
    assert (
        _tidy(old, new) == "def f(x):\n    b = list(x)\n    return zip(*b), g(b, é=b)\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "b = list(x)\n    a = b\n    b = 2\n    return a, b",
        "b = list(x)\n    a = b\n    a = 2 * a\n    return a",
        "b = list(x)\n    a = b\n    return lambda: a",
        "a = x\n    return a + a",
        "for b in x:\n        run(b)\n        a = b\n    return a",
    ],
    ids=["other-changes", "one-changes", "closure", "argument", "in-a-loop"],
)
def test_a_second_name_stays(body: str) -> None:
    new = f"def f(x):\n    {body}\n"
    assert _tidy("def f(x):\n    return average(x)\n", new) == new


def test_a_name_that_becomes_itself() -> None:
    old = "def f(x):\n    variables = list(x)\n    return minimize(variables)\n"
    new = "def f(x):\n    variables = list(x)\n    variables = variables\n    return variables\n"
    assert (
        _tidy(old, new) == "def f(x):\n    variables = list(x)\n    return variables\n"
    )
    # Of an outer name it is an error, and stays one.
    new = "def f(x):\n    variables = variables\n    return variables\n"
    assert _tidy(old, new) == new


def test_names_for_nothing() -> None:
    old = "def f(x):\n    global p\n    a, b = g(x)\n    return a + b + p\n"
    new = "def f(x):\n    global p\n    _, _ = g(x)\n    return None\n"
    assert _tidy(old, new) == "def f(x):\n    g(x)\n"
    one = "def f(x):\n    _ = g(x)\n    return x\n"
    assert _tidy(old, one) == one


def test_none_is_returned_where_something_else_is_too() -> None:
    old = "def f(x):\n    run(x)\n"
    new = "def f(x):\n    if x:\n        return 1\n    run(x)\n    return None\n"
    assert _tidy(old, new) == new
    new = "def f(x):\n    run(x)\n    return None\n"
    assert _tidy(old, new) == "def f(x):\n    run(x)\n"
    assert _tidy(new, new.replace("run", "call")) == new.replace("run", "call")


def test_a_title_goes_with_the_last_of_its_code() -> None:
    old = "def f(x):\n    count = 1\n    run(x, count)\n"
    new = "def f(x):\n    # From f:\n    count = 1\n\n    run(x)\n"
    assert _tidy(old, new) == "def f(x):\n\n    run(x)\n"


def test_a_number_that_nothing_else_has_goes() -> None:
    old = "train_step = minimize(loss)\nfor x in y:\n    run(train_step)\n"
    new = "def train_step_2(x):\n    return x\n\n\nfor x in y:\n    train_step_2(x)\n"
    assert _tidy(old, new) == new.replace("_2", "")


@pytest.mark.parametrize(
    "line",
    [
        "train_step = 1",
        "a.train_step(1)",
        "print(f'{train_step_2}')",
        "x.train_step_2 = 1",
        "train_step_3 = 1",
        "run(train_step_2=1)",
    ],
    ids=["taken", "attribute", "text", "own-attribute", "several", "argument"],
)
def test_a_number_stays(line: str) -> None:
    new = f"def train_step_2(x):\n    return x\n\n\n{line}\ntrain_step_2(1)\n"
    assert _tidy("run(1)\n", new) == new
    author = "train_step_2 = 1\nrun(train_step_2)\n"
    assert _tidy(author, author.replace("run", "call")) == author.replace("run", "call")


@pytest.mark.parametrize(
    "useless", ["pair = (a, b)", "a = a", "_, _ = a(b)", "if a:\n        pass"]
)
def test_what_was_useless_before_is_its_authors(useless: str) -> None:
    """Though the same name is read in another function."""
    old = (
        f"def f(a, b):\n    {useless}\n    run(a)\n\n\ndef g(pair):\n    return pair\n"
    )
    new = old.replace("run(", "call(")
    assert _tidy(old, new) == new
