"""Programs and bytes that nobody wrote: the tool never fails of itself.

What it changes compiles and migrates to itself; what it does not touch stays byte for byte:
of a file without a session every line to which no finding belongs, of one with a session
every statement that uses no value of the graph, but for its indentation.
"""

from __future__ import annotations

import ast
import json
import os
import pathlib
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate import results as written
from migrate.beside.written import Beside
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.outcomes import Status
from migrate.pipeline import migrate_bytes
from migrate.rewriting.gates import UNBOUND
from migrate.run import run_programs
from migrate.source import notebook, python
from tests.migrate import generated_programs as generated
from tests.migrate.generated_programs import find_untouched, is_in_order

# The same programs in every run, so that a run that fails is about the change under test.
# To look for others: `TF1TO2_EXPLORE=1 pytest tests/migrate/test_generated.py`.
_FEW = settings(
    max_examples=40,
    deadline=None,
    derandomize="TF1TO2_EXPLORE" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
# Files are written and read: fewer of them.
_FEWER = settings(_FEW, max_examples=20)
PATH = pathlib.Path("generated.py")


def _is_our_fault(finding: Finding) -> bool:
    """Not where a generated program reads a name that it never binds."""
    return finding.code == "G009" and not finding.reason.endswith(UNBOUND)


def _check_lines(
    old: str, new: str, findings: tuple[Finding, ...], imports_stay: bool = True
) -> None:
    """Fails for a line that no finding touches, and that is not there any more."""
    wanted = find_untouched(old.replace("\r\n", "\n"), findings, imports_stay)
    have = generated.split_lines(new.replace("\r\n", "\n"))
    if generated.has_session(old):
        wanted = [line.strip() for line in wanted if line.strip()]
        have = [line.strip() for line in have]
    missing = is_in_order(wanted, have)
    assert missing is None, (missing, new)


def _check_result(result: FileResult, options: Options) -> None:
    assert not any(map(_is_our_fault, result.findings)), result.findings
    if not result.changed or result.path.suffix == ".ipynb":
        return
    old, new = python.decode(result.old), python.decode(result.new)
    compile(result.new, "generated.py", "exec")
    assert (old.encoding, old.bom) == (new.encoding, new.bom)
    ends = {end for end in old.newlines if end}
    assert {end for end in new.newlines if end} <= ends
    _check_lines(old.text, new.text, result.findings)
    again = migrate_bytes(PATH, result.new, options.prepare_second_run(result.support))
    assert not again.changed


@_FEW
@given(generated.programs(), st.sampled_from(["estimator", "fit", "model_fn"]))
def test_a_generated_program(text: str, estimators: str) -> None:
    options = Options(estimators=estimators)
    _check_result(migrate_bytes(PATH, text.encode(), options), options)


@_FEW
@given(generated.coded_programs())
def test_a_program_in_another_encoding(data: bytes) -> None:
    result = migrate_bytes(PATH, data, Options())
    _check_result(result, Options())
    if result.changed:  # Its first line, bytes that are no UTF-8 among them.
        first = data.partition(b"\n")[0]
        assert result.new.startswith(first)


@_FEW
@given(st.binary(max_size=300), st.booleans())
def test_bytes(data: bytes, is_notebook: bool) -> None:
    path = PATH.with_suffix(".ipynb") if is_notebook else PATH
    for content in (
        data,
        b"import tensorflow as tf\n" + data,
        b"# tensorflow\n" + data,
        b"import tensorflow as tf\nx = tf.log(2.)\n# " + data.replace(b"\n", b""),
    ):
        result = migrate_bytes(path, content, Options(python2=True))
        assert not any(map(_is_our_fault, result.findings)), result.findings
        if any(f.outcome is Outcome.FAILED for f in result.findings):
            assert not result.changed


def _find_magics(made: dict[str, Any]) -> list[str]:
    lines = ("".join(cell["source"]).split("\n") for cell in made["cells"])
    # Cells that became one block have theirs in it, indented.
    stripped = [line.lstrip(" ") for cell in lines for line in cell]
    return [line for line in stripped if line[:1] in ("%", "!")]


@_FEW
@given(generated.notebooks())
def test_a_generated_notebook(data: bytes) -> None:
    path = PATH.with_suffix(".ipynb")
    result = migrate_bytes(path, data, Options())
    _check_result(result, Options())
    if not result.changed:
        return
    before, after = json.loads(data), json.loads(result.new)
    assert len(before["cells"]) == len(after["cells"])
    changed = {f.cell for f in result.findings if f.outcome is not Outcome.KEPT}
    for place, (old, new) in enumerate(zip(before["cells"], after["cells"])):
        for key in ("cell_type", "metadata"):
            assert old[key] == new[key]
        if old["cell_type"] == "markdown":
            assert old == new
        elif place not in changed and not generated.has_session(data.decode()):
            assert "".join(old["source"]) == "".join(new["source"])
    # A magic goes with the code that it stands at, which may be in another cell now.
    assert _find_magics(before) == _find_magics(after)
    ast.parse(notebook.read(result.new.decode()).module)
    again = migrate_bytes(
        path, result.new, Options().prepare_second_run(result.support)
    )
    assert not again.changed
    # Nothing but sources is written anew: the rest has the same bytes.
    assert result.new[:1] == data[:1] and result.new[-1:] == data[-1:]


def _run_tree(root: pathlib.Path, options: Options) -> list[list[FileResult]]:
    done = run_programs([root], options)
    for program in done:
        for result in program:
            assert not any(map(_is_our_fault, result.findings)), result.findings
    return done


def _write(root: pathlib.Path, programs: list[list[FileResult]]) -> None:
    beside = Beside([result for program in programs for result in program])
    for program in programs:
        for result in written.write_program(program, beside=beside):
            assert not any(f.code in ("E006", "G006") for f in result.findings)


@_FEWER
@given(generated.trees(), st.sampled_from(["", "compat"]))
def test_a_generated_tree(files: dict[str, str], fallback: str) -> None:
    """Several files that import each other: each program whole, or byte for byte as it was."""
    options = Options(fallback=fallback)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for file, text in files.items():
            (root / file).write_text(text, newline="")
        programs = _run_tree(root, options)
        for program in programs:
            # All of its files, or none of them.
            statuses = {r.status for r in program} - {None}
            if statuses & {Status.REFUSED, Status.FAILED}:
                assert statuses <= {Status.REFUSED, Status.FAILED}
                assert not any(r.changed for r in program)
            else:
                assert len(statuses) <= 1, [(r.path.name, r.status) for r in program]
            for result in program:
                if result.changed and result.status is Status.MIGRATED:
                    old, new = result.old.decode(), result.new.decode()
                    ast.parse(new)
                    if "# From " not in new:  # Else it is joined with its modules.
                        _check_lines(old, new, result.findings)
        _write(root, programs)
        seen = {r.path.name: r.new for p in programs for r in p if r.changed}
        for file, text in files.items():
            assert (root / file).read_bytes() == seen.get(file, text.encode())
        # A second run finds nothing to change in what is migrated.
        for program in _run_tree(root, Options()):
            for result in program:
                if result.path.name in seen:
                    assert not result.changed, result.path.name


@_FEWER
@given(generated.programs())
def test_a_refused_program_in_graph_mode(text: str) -> None:
    """With `--fallback compat` a program is migrated, runs through compat.v1, or stays."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "program.py").write_text(text, newline="")
        programs = _run_tree(root, Options(fallback="compat"))
        ((result,),) = programs
        if result.status is Status.COMPAT:
            new = result.new.decode()
            ast.parse(new)
            _check_lines(text, new, result.findings, imports_stay=False)
        elif result.status is not Status.MIGRATED:
            assert not result.changed
        if not result.changed:
            return
        _write(root, programs)
        again = _run_tree(root, Options(fallback="compat"))
        assert not any(r.changed for program in again for r in program)


@pytest.mark.parametrize(
    "new",
    [
        "import tensorflow as tf\nprint('kept',  1)\nx = tf.math.log(2.)\n",
        "print('kept', 1)\nimport tensorflow as tf\nx = tf.math.log(2.)\n",
        "import tensorflow as tf\nx = tf.math.log(2.)\n",
    ],
)
def test_a_changed_line_is_noticed(new: str) -> None:
    """The control: a space more, another order, a line that is gone."""
    old = "import tensorflow as tf\nprint('kept', 1)\nx = tf.log(2.)\n"
    findings = (Finding(3, 5, "T102", Outcome.REWRITTEN, "tf.log"),)
    right = old.replace("tf.log", "tf.math.log")
    _check_lines(old, right, findings)
    with pytest.raises(AssertionError):
        _check_lines(old, new, findings)
