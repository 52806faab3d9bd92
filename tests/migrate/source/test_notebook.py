"""Notebooks: one module out of the cells, and only changed cells written back."""

from __future__ import annotations

import json
import pathlib

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.beside.files import collect_files
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from migrate.source import hidden, installs, magics, notebook, spans
from tests.migrate.stand_in import rename

IMPORT = "import tensorflow as tf"


def build(*sources: str, **metadata: object) -> str:
    """A notebook as Jupyter writes it: one space of indentation, final newline."""
    cells = [nbformat.v4.new_code_cell(s) for s in sources]
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    return nbformat.writes(made) + "\n"


def migrated(text: str) -> FileResult:
    return migrate_bytes(pathlib.Path("a.ipynb"), text.encode(), Options(), rename)


def sources(text: str) -> list[str]:
    read = nbformat.reads(text, as_version=4)
    return [cell.source for cell in read.cells]


def test_only_the_changed_cell_is_written():
    text = build(IMPORT, "y = 1", "x = tf.log(y)\nz = 2\n", "w = x\n\n")
    result = migrated(text)
    assert result.new.decode() == text.replace("tf.log", "tf.math.log")
    (finding,) = result.findings
    assert (finding.cell, finding.line, finding.column) == (2, 1, 5)


def test_outputs_of_a_changed_cell_are_cleared_and_no_others():
    made = nbformat.reads(build(IMPORT, "x = tf.log(2.)"), as_version=4)
    for count, cell in enumerate(made.cells, 1):
        cell.execution_count = count
        cell.outputs = [nbformat.v4.new_output("stream", text="0.69\n")]
    result = migrated(nbformat.writes(made))
    first, second = nbformat.reads(result.new.decode(), as_version=4).cells
    assert (first.execution_count, len(first.outputs)) == (1, 1)
    assert (second.execution_count, second.outputs) == (None, [])


@pytest.mark.parametrize(
    "style",
    [
        {"indent": 1},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": None},
        {"indent": None, "separators": (",", ":")},
        {"indent": 2, "ensure_ascii": True},
        {"indent": 1, "sort_keys": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_jsons_own_style_is_kept(style, newline, end):
    data = json.loads(build(IMPORT, "# Größe\nx = tf.log(2.)\n", "s = 'é'"))
    style = {"ensure_ascii": False, **style}
    text = json.dumps(data, **style).replace("\n", newline) + end
    result = migrated(text)
    assert result.new.decode() == text.replace("tf.log", "tf.math.log")


def test_lines_that_end_in_crlf_still_do():
    text = build(
        IMPORT, "!ls\r\nx = tf.log(2.)\r\nfor y in x:\r\n    pass\r\n", "a\r\nb"
    )
    assert migrated(text).new.decode() == text.replace("tf.log", "tf.math.log")
    result = migrated(build("import os\r\n%tensorflow_version 1.x", IMPORT))
    assert sources(result.new.decode())[0].startswith("import os\r\n%pip install")
    result = migrated(build("import os\r\nimport tensorflow", "tf.needs_import"))
    assert sources(result.new.decode())[0].count("\r\n") == 2


def test_unusual_spellings_of_unchanged_lines_are_kept():
    text = build(IMPORT, "a = 'x/y'\nb = a > 'é'\nx = tf.log(2.)")
    text = text.replace("x/y", "x\\/y").replace("a > ", "a \\u003e ")
    assert migrated(text).new.decode() == text.replace("tf.log", "tf.math.log")


def test_a_source_that_is_one_string_stays_one():
    data = json.loads(build(IMPORT, "x = tf.log(2.)\ny = 1"))
    for cell in data["cells"]:
        cell["source"] = "".join(cell["source"])
    text = json.dumps(data, indent=1)
    assert migrated(text).new.decode() == text.replace("tf.log", "tf.math.log")


def test_nbformat_3():
    cells = [
        nbformat.v3.new_code_cell(input=s, prompt_number=n)
        for n, s in enumerate([IMPORT, "!ls\nx = tf.log(2.)"])
    ]
    worksheet = nbformat.v3.new_worksheet(cells=cells)
    text = nbformat.v3.writes_json(nbformat.v3.new_notebook(worksheets=[worksheet]))
    new = migrated(text).new.decode()
    kept, changed = nbformat.v3.reads_json(new).worksheets[0].cells
    assert (kept.input, kept.prompt_number) == (IMPORT, 0)
    assert (changed.input, changed.prompt_number) == ("!ls\nx = tf.math.log(2.)", None)


MAGICS = [
    "%matplotlib inline",
    "!ls 'unclosed (",
    "!pip install \\\n    x (\\\n  y",
    "files = !ls",
    "a, b = !ls",
    "t = %timeit -o f(1)",
    "tf.zeros?",
    "??tf",
    "?tf.zeros",
    "tf.zeros??",
    "if y:\n    %cd /tmp\n    !ls\nelse:\n    z = !ls",
    "%time q = 1",
    "%timeit -n 10 -r 3 sum([1])",
    "%time",
    "%%time\nq = 1",
    "%%capture out\nq = 1",
    "%%bash\necho 'tf (\n\nfi",
    "%%writefile a.py\nprint 'x'",
    "%%html\n<b>",
    "\n%%javascript\nx => y",
    "from __future__ import print_function",
    "%load_ext autoreload  \n%autoreload 2",
    "x = ('%d'\n     % 3)",
    "s = '''\n%not magic\n!nor this\nnor this?\n'''",
]


@pytest.mark.parametrize("magic", MAGICS)
def test_magics_are_python_to_the_core_and_come_back(magic):
    masked = magics.mask_source(magic)
    compile(masked, "cell", "exec")
    assert masked.count("\n") == magic.count("\n")
    assert magics.unmask(masked) == magic
    text = build(IMPORT, magic, "x = tf.log(2.)")
    result = migrated(text)
    assert result.new.decode() == text.replace("tf.log", "tf.math.log"), result.findings


@pytest.mark.parametrize("magic", MAGICS)
def test_magics_in_a_changed_cell_come_back(magic):
    if magic.lstrip().startswith("%%") and magics.is_foreign_cell(magic):
        return  # Nothing in it is Python, so nothing changes.
    text = build(IMPORT, f"{magic}\nx = tf.log(2.)")
    result = migrated(text)
    assert sources(result.new.decode())[1] == f"{magic}\nx = tf.math.log(2.)"


@given(st.lists(st.sampled_from([*MAGICS, "x = 1", "", "  ", "f(1,\n  2)", "# ?"])))
def test_any_cells_come_back(cells):
    text = build(IMPORT, *cells, "x = tf.log(2.)")
    new = migrated(text).new.decode()
    assert new == text.replace("tf.log", "tf.math.log")


def test_python_behind_a_magic_is_migrated():
    result = migrated(build(IMPORT, "%time x = tf.log(2.)\n%%timeit\n"))
    assert sources(result.new.decode())[1].startswith("%time x = tf.math.log(2.)\n")


def test_names_that_ipython_binds_are_bound_and_leave_no_trace():
    text = build(IMPORT, "display(tf.log(2.))\nget_ipython()")
    read = notebook.read(text)
    assert read.module.startswith("get_ipython = display = ")
    result = migrated(text)
    assert result.new.decode() == text.replace("tf.log", "tf.math.log")
    (finding,) = result.findings
    assert (finding.cell, finding.line) == (1, 1)


@pytest.mark.parametrize(
    "cell, expected",
    [
        (f"{IMPORT}\n", f"{IMPORT}\nimport tf_keras\n"),
        (
            f"#@title Set-up\nimport os\n{IMPORT}",
            f"#@title Set-up\nimport os\n{IMPORT}\nimport tf_keras",
        ),
        (f"%%time\n{IMPORT}", f"%%time\n{IMPORT}\nimport tf_keras"),
        (
            "%cd ..\nfrom tensorflow import train",
            "%cd ..\nfrom tensorflow import train\nimport tf_keras",
        ),
        (
            f"x = tf_keras.y\n{IMPORT}",
            f"import tf_keras\nx = tf_keras.y\n{IMPORT}",
        ),
        (f"import os; {IMPORT}", f"import tf_keras\nimport os; {IMPORT}"),
        (
            "# Not imported here.\nx = tf_keras.y",
            "# Not imported here.\nimport tf_keras\nx = tf_keras.y",
        ),
    ],
)
def test_new_imports_stand_where_tensorflow_is_imported(
    cell: str, expected: str
) -> None:
    result = migrated(build("x = 1", "%%bash\nls", cell, "tf.needs_import", IMPORT))
    assert sources(result.new.decode())[2] == expected


def test_new_imports_without_a_cell_for_them_are_refused() -> None:
    result = migrated(build("%pip install tensorflow", "tf.needs_import"))
    assert [f.code for f in result.findings] == ["G005"]


def test_cells_that_were_joined_are_refused():
    result = migrated(build(IMPORT, "x = tf.joins_cells"))
    assert not result.changed
    assert [f.code for f in result.findings] == ["G005"]
    assert "put the program into one cell" in result.findings[0].reason


def cut(text: str, module: str) -> str:
    return notebook.write(notebook.read(text), module).text


def test_a_cell_that_cannot_stand_alone_is_refused():
    text = build("a = 1", "b = 2")
    with pytest.raises(
        notebook.NotebookChanged, match="cell 2 cannot be run by itself"
    ):
        cut(text, "# %% tf1to2 cell 0\nif a:\n  b\n# %% tf1to2 cell 1\n  c\n")


def test_a_lost_magic_is_refused():
    text = build("!ls", "b = 2")
    with pytest.raises(notebook.NotebookChanged, match="magics"):
        cut(text, "# %% tf1to2 cell 0\npass\n# %% tf1to2 cell 1\nb = 3\n")


def test_a_timed_statement_that_became_several_lines_is_refused():
    text = build("%time f(1)")
    module = notebook.read(text).module.replace("f(1)", "f(\n1)")
    with pytest.raises(notebook.NotebookChanged, match="%time"):
        cut(text, module)


@pytest.mark.parametrize(
    "cells, line, code",
    [
        ((IMPORT, "x = 1\ndef f(:"), 2, "E003"),
        ((IMPORT, "print 'x'"), 1, "E004"),
        # Each half alone is wrong; joined they would parse.
        ((IMPORT + "\nx = (1,", "2)"), 2, "E003"),
    ],
)
def test_a_cell_that_is_not_python_is_named(cells, line, code):
    result = migrated(build(*cells))
    (finding,) = result.findings
    assert (finding.code, finding.line) == (code, line)
    assert finding.cell == (0 if "\n" in cells[0] else 1)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"cells": 1, "x": "tensorflow"}', "nul"]
)
def test_what_is_no_notebook_is_told(text):
    result = migrated(f"{text}tensorflow" if "tensorflow" not in text else text)
    assert not result.changed
    if "cells" not in text:
        assert [f.code for f in result.findings] == ["E003"]


def test_notebooks_of_other_languages_are_left():
    text = build(
        "library(tensorflow) <- !",
        kernelspec={"language": "R", "name": "ir", "display_name": "R"},
    )
    assert migrated(text) == FileResult(pathlib.Path("a.ipynb"))


NEEDED = '"tensorflow>=2.15,<2.22" "tf-keras>=2.15,<2.22"'


@pytest.mark.parametrize(
    "source, expected",
    [
        ("%tensorflow_version 1.x", f"%pip install -q {NEEDED}"),
        (
            "try:\n  %tensorflow_version 1.15  # Colab\nexcept Exception:\n  pass",
            f"try:\n  %pip install -q {NEEDED}\nexcept Exception:\n  pass",
        ),
        ("!pip install -q tensorflow==1.15", f"!pip install -q {NEEDED}"),
        (
            "!pip3 install 'tensorflow-gpu<=1.15' numpy",
            f"!pip3 install {NEEDED} numpy",
        ),
        (
            "%pip install tensorflow~=1.14 tensorboard==1.14.0 tensorflow_hub==0.7",
            f"%pip install {NEEDED} tensorflow_hub==0.7",
        ),
        (
            "!python -m pip install \\\n  'tensorflow>=1.4,<2' \\\n  six",
            f"!python -m pip install \\\n  {NEEDED} \\\n  six",
        ),
        (
            "%%bash\npip install tensorflow==1.15.* && echo done",
            f"%%bash\npip install {NEEDED} && echo done",
        ),
        (
            "%%capture\n!pip install tensorflow-cpu===1.15",
            f"%%capture\n!pip install {NEEDED}",
        ),
    ],
)
def test_what_installs_tensorflow_1_installs_2(source: str, expected: str) -> None:
    result = migrated(build(source, IMPORT))
    (finding,) = result.findings
    assert (finding.code, finding.outcome) == ("E008", Outcome.REWRITTEN)
    assert sources(result.new.decode()) == [expected, IMPORT]
    again = migrate_bytes(pathlib.Path("a.ipynb"), result.new, Options(), rename)
    assert not again.changed and not again.findings


def test_the_versions_are_this_projects() -> None:
    text = (pathlib.Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert all(requirement in text for requirement in installs.REQUIREMENTS)


@pytest.mark.parametrize(
    "source, expected",
    [
        (
            "x = 1\n!conda install tensorflow=1.15",
            f"x = 1\n{hidden.NOTE}\n!conda install tensorflow=1.15",
        ),
        (
            "if x:\n    !pip install https://a/tensorflow-1.15-cp37.whl",
            f"if x:\n    {hidden.NOTE}\n    !pip install https://a/tensorflow-1.15-cp37.whl",
        ),
        (
            "%%bash\npython - <<E\nimport tensorflow as tf\nE",
            f"%%bash\n{hidden.NOTE}\npython - <<E\nimport tensorflow as tf\nE",
        ),
        (
            "get_ipython().run_line_magic('tensorflow_version', '1.x')",
            f"{hidden.NOTE}\nget_ipython().run_line_magic('tensorflow_version', '1.x')",
        ),
        ("%%html\nimport tensorflow as tf", "%%html\nimport tensorflow as tf"),
    ],
)
def test_tensorflow_1_in_a_magic_is_not_silent(source: str, expected: str) -> None:
    result = migrated(build(source, IMPORT))
    (finding,) = result.findings
    assert (finding.code, finding.outcome, finding.cell) == ("E007", Outcome.REFUSED, 0)
    text = result.new.decode() if result.changed else build(source, IMPORT)
    assert sources(text) == [expected, IMPORT]
    again = migrate_bytes(pathlib.Path("a.ipynb"), text.encode(), Options(), rename)
    assert not again.changed


def test_tensorflow_1_stays_installed_where_something_is_refused() -> None:
    result = migrated(build("!pip install tensorflow==1.15", IMPORT, "tf.Session()"))
    assert [f.code for f in result.findings] == ["E007", "S120"]
    assert sources(result.new.decode())[0] == (
        f"{hidden.NOTE}\n!pip install tensorflow==1.15"
    )


def test_codes_are_chosen_in_magics_too() -> None:
    text = build(
        "!pip install tensorflow==1.15\n!conda install tensorflow=1.15", IMPORT
    )
    for options, codes in (
        (Options(ignore=("E007",)), ["E008"]),
        (Options(select=("T",)), []),
        (Options(select=("E", "T")), ["E008", "E007"]),
    ):
        path = pathlib.Path("a.ipynb")
        result = migrate_bytes(path, text.encode(), options, rename)
        told = [f.code for f in result.findings if not f.hidden]
        assert told == codes
        assert (hidden.NOTE in result.new.decode()) is ("E007" in codes)


def test_a_program_that_a_cell_writes_is_migrated() -> None:
    head = "%%writefile train.py\n"
    text = build(f"{head}{IMPORT}\nx = tf.log(2.)", "!python train.py")
    result = migrated(text)
    assert result.new.decode() == text.replace("tf.log", "tf.math.log")
    (finding,) = result.findings
    assert (finding.code, finding.cell, finding.line) == ("T102", 0, 3)


SAVING = tuple(collect_files("import training_session as t\nt.Saver()"))


@pytest.mark.parametrize(
    "name, support, codes",
    [
        ("train.py", SAVING, ["T102"]),
        ("./train.py", SAVING, ["T102"]),
        ("src/train.py", (), ["E007"]),
    ],
)
def test_modules_beside_a_written_program(
    name: str, support: tuple[str, ...], codes: list[str]
) -> None:
    text = build(
        f"%%writefile {name}\n{IMPORT}\nimport training_session\n"
        "x = training_session.Saver(tf.log(2.))  # tf.needs_session"
    )
    result = migrated(text)
    assert (result.support, [f.code for f in result.findings]) == (support, codes)
    (source,) = sources(result.new.decode())
    assert ("# TODO(tf1to2): E007 the program needs modules" in source) is not bool(
        support
    )
    again = migrate_bytes(pathlib.Path("a.ipynb"), result.new, Options(), rename)
    assert not again.changed


def test_a_written_program_that_cannot_be_read_is_left() -> None:
    result = migrated(build("%%writefile a.py\nimport tensorflow\nprint 'x'", IMPORT))
    (finding,) = result.findings
    assert (finding.code, finding.outcome, finding.line) == ("E004", Outcome.REFUSED, 3)
    lines = sources(result.new.decode())[0].split("\n")
    assert lines[0] == "%%writefile a.py"
    assert lines[1].startswith("# TODO(tf1to2): E004 this is Python 2")
    again = migrate_bytes(pathlib.Path("a.ipynb"), result.new, Options(), rename)
    assert not again.changed


OTHER_MAGICS = [
    "!pip install tensorflow==2.15",
    "!pip install 'tensorflow>=1.15' tensorflow-datasets==1.2",
    "!ls tensorflow",
    "%%bash\nls",
    "# !pip install tensorflow==1.15",
    "s = '''\n!pip install tensorflow==1.15\n'''",
]


@pytest.mark.parametrize("source", OTHER_MAGICS)
def test_other_magics_are_no_findings(source):
    assert migrated(build(source, IMPORT)).findings == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_spans_spell_the_values(value, indent, ascii_only):
    text = f" {json.dumps(value, indent=indent, ensure_ascii=ascii_only)}\n"

    def check(span: spans.Span, expected: object) -> None:
        assert json.loads(text[span.start : span.end]) == expected
        if isinstance(expected, dict):
            assert list(span.value) == list(expected)
            for key, inner in expected.items():
                check(span.get(key), inner)
        elif isinstance(expected, list):
            assert len(span.items) == len(expected)
            for inner_span, inner in zip(span.items, expected, strict=True):
                check(inner_span, inner)

    check(spans.parse(text), value)
