"""Imports of TensorFlow that nothing uses: they go, and every report says the same of them."""

from __future__ import annotations

import html
import json
import pathlib
import re
import shutil

import nbformat
import pytest
from nbformat import v4

from migrate import run
from migrate.compiler import migrate_text
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.report import json_report, markdown, page, sarif, text
from migrate.report.summary import Run
from migrate.report.triage import triage

PROGRAMS = pathlib.Path(__file__).parents[1] / "programs"
USE = "import tensorflow as tf\n"
SLIM = "from tensorflow.contrib import slim\n"
GUARDED = f"try:\n    {SLIM}except ImportError:\n    slim = None\n"
SESSION = """\
x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1]{more})
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, feed_dict={{x: [[1.0]]}})
"""
TRAINS = USE + SLIM + SESSION.format(more="")
REFUSED = USE + GUARDED + SESSION.format(more=", custom_getter=getter")
SCALE = "def scale(x):\n    return tf.log(x)\n"


def told(source: str) -> list[tuple[int, str, str]]:
    return [
        (f.line, f.code, f.outcome.value)
        for f in migrate_text(source).findings
        if f.code == "T111"
    ]


def run_tree(directory: pathlib.Path, files: dict[str, str]) -> list[FileResult]:
    for name, content in files.items():
        (directory / name).write_text(content)
    return [r for program in run.run_programs([directory]) for r in program]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (SLIM, ""),
        (USE + SLIM + "y = 1\n", USE + "y = 1\n"),
        (USE + SLIM + SCALE, USE + SCALE.replace("tf.log", "tf.math.log")),
        (USE + GUARDED, USE),
        (GUARDED + "\n" + USE + SCALE, USE + SCALE.replace("tf.log", "tf.math.log")),
        (
            USE + "from tensorflow import float32, placeholder\ny = float32\n",
            USE + "y = tf.float32\n",
        ),
        (USE[:-1] + "; " + SLIM + "y = 1\n", USE + "y = 1\n"),
        (USE[:-1] + "; " + SLIM[:-1] + "; y = 1\n", USE[:-1] + "; y = 1\n"),
        (f"y = 'ä'; {SLIM[:-1]}  # é\n", "y = 'ä'  # é\n"),
        (f"y = 1; \\\n{SLIM}z = 2\n", "y = 1\nz = 2\n"),
        (f"def f(): {SLIM[:-1]}; return 2\n", "def f(): return 2\n"),
        (f"def f(): {SLIM}", "def f(): pass\n"),
        (f"def f():\n    {SLIM[:-1]};  # It.\n", "def f():\n    pass\n"),
        (
            USE + f"def f():\n    {SLIM}    from tensorflow.contrib import gan\n",
            USE + "def f():\n    pass\n",
        ),
    ],
)
def test_it_goes_and_is_told(source: str, expected: str) -> None:
    done = migrate_text(source)
    assert done.text == expected
    found = [f for f in done.findings if f.code == "T111"]
    assert found and {f.outcome for f in found} == {Outcome.REWRITTEN}
    assert all(f.reason.startswith("dropped: nothing that runs") for f in found)


def _guard(handler: str, more: str = "") -> str:
    return f"try:\n    {SLIM}except ImportError:\n    {handler}\n{more}"


def _indent(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Of the blank lines around it, those on one side; and those at an end of the file.
        (f"y = 1\n\n{GUARDED}\n\nz = 2\n", "y = 1\n\n\nz = 2\n"),
        (f"y = 1\n\n\n{GUARDED}", "y = 1\n"),
        # What a handler binds is bound elsewhere, too.
        ("y = 1\n" + _guard("y = 2", "print(y)\n"), "y = 1\nprint(y)\n"),
        (_guard("y = 2\n    print(y)", "z = 1\n"), "z = 1\n"),
        (
            _guard("from tensorflow.contrib import gan", "z = 1\n"),
            "z = 1\n",
        ),
        # What held only it goes, too.
        (f"try:\n{_indent(GUARDED)}except ImportError:\n    raise\n", ""),
        (f"y = 1\nif y:\n{_indent(GUARDED)}", "y = 1\n"),
        (f"if tf:\n    y = 1\nelse:\n    {SLIM}", "if tf:\n    y = 1\n"),
        (f"def f():\n{_indent(GUARDED)}", "def f():\n    pass\n"),
    ],
)
def test_a_try_goes_with_what_alone_could_fail(source: str, expected: str) -> None:
    done = migrate_text(USE + source)
    assert done.text == USE + expected


@pytest.mark.parametrize(
    "source",
    [
        # These run.
        _guard("slim = None", "else:\n    y = 1\n"),
        _guard("slim = None", "finally:\n    y = 1\n"),
        # It says that `y` is the function's own, or that the function is a generator.
        f"def f():\n{_indent(_guard('y = 1', 'return y'))}",
        f"def f():\n{_indent(_guard('yield 1'))}",
        f"def f():\n{_indent(_guard('global y; y = 1', 'y = 2'))}",
        _guard("from slim import *", "print(conv2d)\n"),
        _guard("y = 1", '__all__ = ["y"]\n'),
        # A condition that may do something, and what a `with` enters.
        f"if f():\n    {SLIM}",
        f"with f():\n    {SLIM}",
    ],
)
def test_what_means_something_without_it_stays(source: str) -> None:
    done = migrate_text(USE + source)
    assert done.text == USE + source.replace(SLIM, "pass\n")


@pytest.mark.parametrize("name", ["fit_servers", "tape_in_loop", "minimized_together"])
def test_a_half_migrated_program_does_not_lose_it_without_a_finding(name: str) -> None:
    source = (PROGRAMS / "half_migrated" / f"{name}.py").read_text()
    at = source.index("import tensorflow as tf")
    source = source[:at] + SLIM + source[at:]
    done = migrate_text(source)
    assert "contrib" not in done.text
    line = source[:at].count("\n") + 1
    assert told(source) == [(line, "T111", "rewritten")]


def test_in_a_refused_program_it_is_no_second_reason() -> None:
    done = migrate_text(REFUSED)
    assert done.text.count("slim") == REFUSED.count("slim")
    assert told(REFUSED) == [(3, "T111", "kept")]
    assert {f.code for f in done.findings if f.blocks} == {"N100", "V103"}


@pytest.mark.parametrize(
    ("other", "more"),
    [
        ("from common import slim\n", ""),
        ("import common\nprint(common.slim)\n", ""),
        ("import common as c\nprint(c.slim.conv2d)\n", ""),
        ('import common\nprint(getattr(common, "slim"))\n', ""),
        ("import common\nprint(common.slim)\n", "y = slim.arg_scope\n"),
    ],
)
def test_what_another_file_takes_stays(
    tmp_path: pathlib.Path, other: str, more: str
) -> None:
    common = USE + SLIM + SCALE + more
    results = run_tree(tmp_path, {"common.py": common, "main.py": other})
    assert not any(r.changed for r in results)
    (reason,) = {
        f.reason
        for r in results
        for f in r.findings
        if f.code == "T111" and f.blocks and f.line == 2 and r.path.name == "common.py"
    }
    assert reason.endswith("another file takes the name from here")


def _make_notebook(*cells: str) -> str:
    return nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell(c) for c in cells]))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("main.ipynb", _make_notebook("%matplotlib inline", "from common import slim")),
        ("main.ipynb", _make_notebook("%run common.py", "print(slim)")),
        ("main.py", "from common import slim\nprint slim\n"),
    ],
)
def test_what_a_notebook_or_python_2_takes_stays(
    tmp_path: pathlib.Path, name: str, other: str
) -> None:
    results = run_tree(tmp_path, {"common.py": USE + SLIM + SCALE, name: other})
    assert any(
        f.code == "T111" and f.blocks and f.reason.endswith("takes the name from here")
        for r in results
        for f in r.findings
    )


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("main.ipynb", _make_notebook("# common", "import tf_slim as slim")),
        ("main.ipynb", _make_notebook('print("common slim")', "%matplotlib inline")),
        ("main.py", "print 'a common slim'\n"),
    ],
)
def test_a_notebook_or_python_2_of_the_same_words_does_not_take_it(
    tmp_path: pathlib.Path, name: str, other: str
) -> None:
    results = run_tree(tmp_path, {"common.py": USE + SLIM + SCALE, name: other})
    (done,) = [r for r in results if r.path.name == "common.py"]
    assert done.changed and b"slim" not in done.new


def test_a_name_that_tensorflow_2_has_stays_for_another_file(
    tmp_path: pathlib.Path,
) -> None:
    common = USE + "from tensorflow.keras import layers\n" + SCALE
    main = "from common import layers\nprint(layers.Dense)\n"
    results = run_tree(tmp_path, {"common.py": common, "main.py": main})
    (done,) = [r for r in results if r.path.name == "common.py"]
    assert b"tf.math.log" in done.new and b"import layers" in done.new


def test_a_file_of_the_same_words_does_not_take_it(tmp_path: pathlib.Path) -> None:
    main = "import common\nimport tf_slim as slim\nprint(slim, common.scale(1.0))\n"
    results = run_tree(tmp_path, {"common.py": USE + SLIM + SCALE, "main.py": main})
    (done,) = [r for r in results if r.path.name == "common.py"]
    assert done.changed and b"slim" not in done.new


def test_an_import_that_a_refused_file_reads_no_more_is_in_its_report(
    tmp_path: pathlib.Path,
) -> None:
    private = "from tensorflow.python.framework import ops\n"
    body = "def f():\n    y = ops.convert_to_tensor(1.0)\n    return tf.contrib.gan.gan_model(y)\n"
    files = {
        "common.py": private + USE + body,
        "show.py": "from common import ops\n\n\ndef show():\n    return ops\n",
    }
    run_tree(tmp_path, files)
    [common] = [r for r in run.run_tree([tmp_path]) if r.path.name == "common.py"]
    assert b"ops.convert_to_tensor" not in common.new and private.encode() in common.new
    [found] = [f for f in common.findings if f.line == 1]
    assert found.outcome is Outcome.REFUSED and "another file takes" in found.reason


def test_a_try_that_goes_with_the_last_use_of_its_import_is_told() -> None:
    tried = (
        "try:\n    from tensorflow.python.framework import ops\n"
        "except ImportError:\n    ops = None\n"
    )
    done = migrate_text(USE + tried + "y = ops.convert_to_tensor(1.0)\n")
    assert done.text == USE + "y = tf.convert_to_tensor(1.0)\n"
    assert [(f.line, f.outcome) for f in done.findings if f.code == "T111"] == [
        (3, Outcome.REWRITTEN)
    ]


def test_no_program_waits_for_one_that_only_has_such_an_import(
    tmp_path: pathlib.Path,
) -> None:
    files = {
        "common.py": USE + SCALE,
        "train.py": "import common\n" + TRAINS.replace(SLIM, ""),
        "eval.py": "import common\n" + USE + SLIM + "print(common.scale(2.0))\n",
    }
    found = triage(Run(run_tree(tmp_path, files)))
    assert {e.path.name for e in found.ready} == {"train.py", "eval.py"}
    assert not any(e.waits for e in found.entries)


def _count_refused(lines: str) -> dict[str, int]:
    """Refused by code, as `--statistics` prints it."""
    head, *rows = [line for line in lines.split("\n") if line.strip()]
    ends = {m[0]: m.end() for m in re.finditer(r"\S+", head)}
    end = ends.get("refused", 0)
    cells = {row[:4]: row[end - 11 : end].strip() for row in rows}
    return {code: int(cell) for code, cell in cells.items() if cell}


def test_all_reports_have_the_same_totals(tmp_path: pathlib.Path) -> None:
    unused = "def nobody():\n    return tf.contrib.gan.gan_model(1)\n\n\n"
    files = {
        "ready.py": TRAINS,
        "refused.py": REFUSED,
        "both.py": USE + GUARDED + unused + REFUSED.replace(USE + GUARDED, ""),
        "plain.py": USE + GUARDED + "print(tf.log(2.0))\n",
        "missing.py": USE + SLIM + "print(tf.contrib.gan.gan_model(1))\n",
        "common.py": USE + SLIM + SCALE,
        "train.py": "import common\n" + REFUSED,
        "eval.py": "import common\n" + USE + SLIM + "print(common.scale(2.0))\n",
    }
    for source in ("half_migrated/servers.py", "mistakes/last_batch.py"):
        path = PROGRAMS / source
        if path.exists():
            shutil.copy(path, tmp_path / path.name)
    whole = Run(run_tree(tmp_path, files))
    of_statistics = _count_refused("\n".join(text.write_statistics(whole)))
    held = of_statistics.pop("N102", 0)
    assert set(of_statistics) == {"V103", "T111"} and of_statistics["T111"] == 1

    of_json = json.loads(json_report.render(whole))
    counted = {c["code"]: c["findings"]["refused"] for c in of_json["codes"]}
    assert {k: n for k, n in counted.items() if n and k != "N102"} == of_statistics
    listed = [f for one in of_json["files"] for f in one["findings"]]
    assert sum(f["outcome"] == "refused" for f in listed) == sum(
        of_statistics.values(), held
    )
    assert of_json["summary"]["findings"]["refused"] == len(
        [f for f in listed if f["outcome"] == "refused"]
    )

    check = "\n".join(text.write_findings(whole))
    codes = re.findall(r"^\S+:\d+:\d+: ([A-Z]\d{3}) (?!\w+: )", check, re.MULTILINE)
    assert {code: codes.count(code) for code in codes} == of_statistics
    total = sum(of_statistics.values())
    assert f"{total} refused" in text.render(whole).splitlines()[-1]
    blocking = {b["code"]: b["places"] for b in of_json["triage"]["blockers"]}
    assert blocking == of_statistics

    of_page = html.unescape(page.render(whole))
    for code, number in of_statistics.items():
        rule = of_page.partition(f'id="{code}"')[0].rpartition("<summary>")[2]
        assert f"{number} refused" in rule
        assert of_page.count(f'class="note refused {code}"') == number
    assert f"{total} refused" in markdown.render(whole)
    alerts = json.loads(sarif.render(whole))["runs"][0]["results"]
    of_sarif = [a["ruleId"] for a in alerts if a["properties"]["outcome"] == "refused"]
    assert len(of_sarif) == total + held
