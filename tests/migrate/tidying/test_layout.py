"""Blank lines and the alignment of lines within parentheses."""

from __future__ import annotations

import textwrap

from migrate.tidying.alignment import align_lines
from migrate.tidying.blank_lines import add_blank_lines
from migrate.tidying.import_order import order_imports
from migrate.tidying.indentation import indent_blocks


def _lay(old: str, new: str) -> str:
    old, new = textwrap.dedent(old), textwrap.dedent(new)
    return add_blank_lines(old, align_lines(old, new))


def test_lines_stay_below_their_parenthesis() -> None:
    old = """
    w = f(g([1, 2],
            stddev=h(1,
                     2),
            dtype=d), name=\"\"\"a
      b\"\"\")
    """
    new = """
    weights = f(long.name.g([1, 2],
            stddev=h(1,
                     2),
            dtype=d), name=\"\"\"a
      b\"\"\")
    """
    assert _lay(old, new) == textwrap.dedent("""
    weights = f(long.name.g([1, 2],
                            stddev=h(1,
                                     2),
                            dtype=d), name=\"\"\"a
      b\"\"\")
    """)


def test_changed_lines_stay_beside_the_others() -> None:
    old = "x = f(a=[A(1),\n         B(2),\n         C()])\n"
    new = "x = g(hooks=[A(1),\n         m.B(2),\n         C()])\n"
    assert (
        align_lines(old, new)
        == "x = g(hooks=[A(1),\n             m.B(2),\n             C()])\n"
    )


def test_lines_that_the_author_put_elsewhere_stay() -> None:
    old = "x = f(a,\n    b)\n"
    assert align_lines(old, "x = long(a,\n    b)\n") == "x = long(a,\n    b)\n"
    old = "x = f(\n    a,\n    b)\n"
    new = "x = long(\n    a,\n    b)\n"
    assert align_lines(old, new) == new


def test_lines_of_an_expression_that_moved_move_along() -> None:
    new = """
    class A:
        @d(a=[
                b,
                # Said of c.
                c,
            ])
        def f():
            return {
                "x": g(
                y, z),
            }
    """
    assert _lay("x = 1\n", new) == textwrap.dedent("""
    class A:
        @d(a=[
            b,
            # Said of c.
            c,
        ])
        def f():
            return {
                "x": g(
                    y, z),
            }
    """)
    # The author's own way is kept, at another depth too.
    old = "@d(a=[\n        b,\n    ])\ndef f():\n  pass\n"
    new = textwrap.indent(old.replace("f()", "g()"), "  ")
    assert align_lines(old, f"class A:\n{new}") == f"class A:\n{new}"


def test_a_line_that_would_be_long_stays() -> None:
    rest = "b" * 90
    old, new = f"x = f(a,\n      {rest})\n", f"x = {'g' * 20}(a,\n      {rest})\n"
    assert align_lines(old, new) == new


def test_tabs_stay() -> None:
    old, new = "if a:\n\tx = f(a,\n\t      b)\n", "if a:\n\tx = gg(a,\n\t      b)\n"
    assert align_lines(old, new) == new


def test_blank_lines_below_definitions() -> None:
    new = """
    def f():
      return 1
    x = f()
    with x:
      def g():
        return 2
      y = g()
    z = 1
    with x:
      @d
      def h():
        return 3
    z = 2
    """
    assert _lay("x = 1\n", new) == textwrap.dedent("""
    def f():
      return 1


    x = f()
    with x:
      def g():
        return 2

      y = g()
    z = 1
    with x:
      @d
      def h():
        return 3

    z = 2
    """)


def test_what_stood_below_a_definition_stays() -> None:
    old = "class A:\n  def f(self):\n    tf.a()\n  def g(self):\n    pass\n\nrun()\n"
    new = old.replace("tf.a", "tf.b")
    assert add_blank_lines(old, new) == new


def test_a_comment_may_begin_a_cell() -> None:
    new = "def f():\n  return 1\n# In[2]:\nx = 1\n"
    assert add_blank_lines("", new) == new


def test_keras_is_imported_before_modules_beside_the_program() -> None:
    new = "import tensorflow as tf\nimport training_session\nimport tf_keras\nimport keras_fit\n"
    assert (
        order_imports("import tensorflow as tf\n", new)
        == "import tensorflow as tf\nimport tf_keras\nimport keras_fit\nimport training_session\n"
    )
    assert order_imports(new, new) == new
    other = "import training_session\nimport data\nimport tf_keras\n"
    assert order_imports("import data\n", other) == other


def test_blocks_are_as_deep_as_the_files() -> None:
    old = "def f():\n  if a:\n    run()\n"
    new = """
    def f():
      with a:
          # Said of x.
          x = g(1,
                2)
          y = \"\"\"a
          b\"\"\"
          if x:
            z = 1
          else:
              z = 2
      return y
    """
    assert indent_blocks(old, textwrap.dedent(new)) == textwrap.dedent("""
    def f():
      with a:
        # Said of x.
        x = g(1,
              2)
        y = \"\"\"a
          b\"\"\"
        if x:
          z = 1
        else:
          z = 2
      return y
    """)


def test_blocks_of_a_file_that_has_several_depths_stay() -> None:
    old = "def f():\n  if a:\n      run()\n"
    new = "def f():\n    with a:\n      call()\n"
    assert indent_blocks(old, new) == new
