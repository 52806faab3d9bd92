"""Bad input gets a clear message, costs no other file, and loses no byte."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tests import ledger

pytestmark = pytest.mark.rests_on(ledger.COMPILER)
GOOD = b"import tensorflow as tf\nx = tf.log(y)\ny = 1\n"
MIGRATED = b"import tensorflow as tf\nx = tf.math.log(y)\ny = 1\n"


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "migrate", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=400,  # 30 seconds for 50,000 lines; a loaded machine takes longer.
        **options,  # type: ignore[call-overload]
    )


BAD = {
    "syntax error": (b"import tensorflow as tf\ndef f(:\n", "E003"),
    "tabs that libcst does not read": (
        b"import tensorflow as tf\nif 1:\n  if 0:\n    f'{tf.log(1.0)}'\n  else:\n\t  x = 1\n  y = 2\n",
        "E003",
    ),
    "python 2": (b"import tensorflow as tf\nprint 'hello'\n", "E004"),
    "except comma": (
        b"import tensorflow as tf\ntry:\n  pass\nexcept ValueError, e:\n  pass\n",
        "E004",
    ),
    "not utf-8": (b"import tensorflow as tf\ns = '\xe9'\n", "E002"),
    "unknown coding": (b"# coding: klingon\nimport tensorflow as tf\n", "E002"),
    "nul byte": (b"import tensorflow as tf\n\0\n", "E002"),
    "too deep": (b"import tensorflow as tf\nx = " + b"(" * 4000 + b")" * 4000, "E00"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_named_and_others_are_done(
    name: str, tmp_path: pathlib.Path
) -> None:
    content, code = BAD[name]
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_bytes(content)
    good.write_bytes(GOOD)
    done = run("migrate", tmp_path, "--write")
    assert done.returncode == 2
    assert "bad.py:" in done.stderr and code in done.stderr
    assert "Traceback" not in done.stderr
    assert bad.read_bytes() == content
    assert good.read_bytes() == MIGRATED


STYLES = {
    "crlf": GOOD.replace(b"\n", b"\r\n"),
    "bom": b"\xef\xbb\xbf" + GOOD,
    "latin-1": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + GOOD,
    "no final newline": GOOD.rstrip(b"\n"),
    "mixed newlines": b"# one\r\n# two\n" + GOOD,
    "tabs": b"import tensorflow as tf\ndef f(y):\n\treturn tf.log(y)\n",
    "form feed": b"import tensorflow as tf\n\x0c\ny = 1\nx = tf.log(y)\n",
}


@pytest.mark.parametrize("name", STYLES)
def test_style_is_kept(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(STYLES[name])
    assert run("migrate", path, "--write").returncode == 0
    assert path.read_bytes() == STYLES[name].replace(b"tf.log", b"tf.math.log")
    once = path.read_bytes()
    assert run("migrate", path, "--write").returncode == 0
    assert path.read_bytes() == once


def test_empty_file_and_empty_tree(tmp_path: pathlib.Path) -> None:
    (tmp_path / "empty.py").write_bytes(b"")
    assert run("migrate", tmp_path).returncode == 0


def test_missing_path(tmp_path: pathlib.Path) -> None:
    (tmp_path / "good.py").write_bytes(GOOD)
    done = run("migrate", tmp_path / "nowhere", tmp_path / "good.py", "--write")
    assert done.returncode == 2
    assert "nowhere' does not exist" in done.stderr and "Usage:" in done.stderr
    assert (tmp_path / "good.py").read_bytes() == GOOD
    done = run("check", tmp_path / "nowhere")
    assert done.returncode == 2 and done.stdout == ""
    assert "nowhere' does not exist" in done.stderr


def test_read_only_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(GOOD)
    path.chmod(0o444)
    done = run("migrate", path, "--write")
    assert done.returncode == 2
    assert "E006" in done.stderr and "a.py" in done.stderr
    assert path.read_bytes() == GOOD


def test_mode_is_kept_and_links_are_written_through(tmp_path: pathlib.Path) -> None:
    real = tmp_path / "real.py"
    real.write_bytes(GOOD)
    real.chmod(0o755)
    link = tmp_path / "link.py"
    link.symlink_to(real)
    assert run("migrate", link, "--write").returncode == 0
    assert link.is_symlink()
    assert real.read_bytes() == MIGRATED
    assert real.stat().st_mode & 0o777 == 0o755


def test_loop_of_links(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(GOOD)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.py").symlink_to(tmp_path / "self.py")
    done = run("migrate", tmp_path, "--write")
    assert done.returncode == 2  # self.py leads nowhere
    assert "self.py" in done.stderr
    assert (tmp_path / "a.py").read_bytes() == MIGRATED


def test_long_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "long.py"
    path.write_bytes(GOOD + b"z = tf.log(y)\n" * 50_000)
    assert run("migrate", path, "--write").returncode == 0
    assert path.read_bytes().count(b"tf.math.log") == 50_001


def test_interrupt_loses_nothing(tmp_path: pathlib.Path) -> None:
    for index in range(200):
        (tmp_path / f"m{index:03}.py").write_bytes(GOOD * 50)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "migrate",
            "migrate",
            str(tmp_path),
            "--write",
            "--jobs",
            "1",
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    # Half-way: an interrupt while modules are loaded says another thing.
    first = tmp_path / "m000.py"
    while process.poll() is None and first.read_bytes() == GOOD * 50:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    whole = {GOOD * 50, MIGRATED * 50}
    assert all(p.read_bytes() in whole for p in tmp_path.glob("*.py"))
    assert not list(tmp_path.glob(".tf1to2-*"))
    assert process.returncode in (0, 2), errors
    if process.returncode == 2:
        assert b"Interrupted" in errors


def test_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", "-"],
        input=GOOD,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stdout == MIGRATED


def test_output_copies_the_tree(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "a.py").write_bytes(GOOD)
    (tree / "data.bin").write_bytes(b"\0\1")
    out = tmp_path / "out"
    assert run("migrate", tree, "--output", out).returncode == 0
    assert (out / "sub" / "a.py").read_bytes() == MIGRATED
    assert (out / "data.bin").read_bytes() == b"\0\1"
    assert (tree / "sub" / "a.py").read_bytes() == GOOD


def test_exit_codes(tmp_path: pathlib.Path) -> None:
    refused = tmp_path / "refused.py"
    refused.write_bytes(b"import tensorflow as tf\ns = tf.Session()\n")
    clean = tmp_path / "clean.py"
    clean.write_bytes(b"print(1)\n")
    good = tmp_path / "good.py"
    good.write_bytes(GOOD)
    assert run("migrate", clean).returncode == 0
    assert run("migrate", good).returncode == 0
    assert run("migrate", refused).returncode == 1
    assert run("check", clean).returncode == 0
    assert run("check", good).returncode == 1
    assert run("migrate").returncode == 2
    assert run("migrate", good, "--diff", "--write").returncode == 2


def test_refusal_is_noted_once(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"import tensorflow as tf\n\ns = tf.Session()\n")
    run("migrate", path, "--write", "--notes")
    once = path.read_text()
    assert once.count("# TODO(tf1to2): S120") == 1
    run("migrate", path, "--write", "--notes")
    assert path.read_text() == once


def test_gitignore_and_environments_are_respected(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".gitignore").write_text("ignored/\n")
    for directory in ("ignored", "venv", "kept"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "a.py").write_bytes(GOOD)
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    run("migrate", tmp_path, "--write")
    assert (tmp_path / "kept" / "a.py").read_bytes() == MIGRATED
    assert (tmp_path / "ignored" / "a.py").read_bytes() == GOOD
    assert (tmp_path / "venv" / "a.py").read_bytes() == GOOD


@pytest.mark.parametrize("suffix", [".json", ".sarif", ".html", ".md", ".txt"])
def test_reports(suffix: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"import tensorflow as tf\ns = tf.Session()\n")
    report = tmp_path / f"report{suffix}"
    run("migrate", path, "--report", report)
    assert "S120" in report.read_text()
    if suffix in (".json", ".sarif"):
        import json

        json.loads(report.read_text())


def test_starts_light() -> None:
    script = (
        "import sys, resource; from migrate.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert 'tensorflow' not in sys.modules and 'libcst' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_python_m_is_the_command() -> None:
    environment = {**os.environ, "NO_COLOR": "1"}
    done = run("rule", "C111", env=environment)
    assert done.returncode == 0 and "device setter" in done.stdout
    assert run("rule", "X999").returncode == 2
