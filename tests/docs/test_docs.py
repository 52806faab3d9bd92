"""The documentation: built, linked, generated where it says so, and its code run."""

from __future__ import annotations

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import yaml

from migrate.codes import CODES
from migrate.codes.pages import SITE, locate_page
from migrate.compiler import migrate_text
from migrate.options import Options
from reference import processes
from reference.pages import drawings, gallery, gallery_differences, how_to
from reference.pages.__main__ import generated
from reference.pages.gallery_programs import PROGRAMS
from tests import ledger
from tests.ledger import rows
from tests.rules.followed.bases import CLUSTER

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = DOCS / "index.md"
RULES = DOCS / "rules"
GALLERY = DOCS / "gallery"
ESTIMATORS = DOCS / "estimators"
MKDOCS = ROOT / "mkdocs.yml"
# The pages of rules have tests of their own, of all of them at once.
PAGES = sorted(p for p in DOCS.rglob("*.md") if p.parent != RULES)
TEXTS = [*PAGES, *ROOT.glob("*.md"), *ROOT.glob("notebooks/*.md")]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")


def blocks(path: pathlib.Path, language: str) -> list[str]:
    return [text for name, text in _BLOCK.findall(path.read_text()) if name == language]


def run(script: str, directory: pathlib.Path, timeout: float = 60) -> str:
    """Runs a shell script and returns its output; `tf1to2` is this repository's."""
    tools = directory / "bin"
    tools.mkdir(exist_ok=True)
    tool = tools / "tf1to2"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m migrate "$@"\n')
    tool.chmod(0o755)
    path = os.pathsep.join(
        [str(tools), os.path.dirname(sys.executable), os.environ["PATH"]]
    )
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=directory,
        env={
            **processes.environment_with(),
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "CUDA_VISIBLE_DEVICES": "",
        },
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -- the site --------------------------------------------------------------------------


@pytest.mark.rests_on(DOCS, MKDOCS, ROOT / "reference" / "pages")
def test_the_site_builds_without_a_warning(tmp_path: pathlib.Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        timeout=400,
        # As the command finds it: not with the checkout on its path.
        env={**os.environ, "PYTHONPATH": "", "PYTHONSAFEPATH": "1"},
    )
    # Codes in prose are links.
    limits = (tmp_path / "limits" / "sessions" / "index.html").read_text()
    assert '<a href="../../rules/N101/">N101</a>' in limits
    for page in [*PAGES, RULES / "C101.md"]:
        name = page.relative_to(DOCS).with_suffix("")
        own = name.name == "index"
        built = tmp_path / (name.parent if own else name) / "index.html"
        assert "<h1" in built.read_text()
        # Nothing is loaded from elsewhere.
        loaded = re.findall(
            r'(?:src|href)="(https?:)?//[^"]+\.(?:js|css|woff2?)"', built.read_text()
        )
        assert not loaded


def anchors(path: pathlib.Path) -> set[str]:
    """Returns the anchors that mkdocs gives the headings of a page."""
    found = set()
    text = _BLOCK.sub("", path.read_text())
    for title in re.findall(r"^#+ (.+)$", text, re.M):
        plain = re.sub(r"[^\w\s-]", "", title).strip().lower()
        found.add(re.sub(r"[-\s]+", "-", plain))
    return found


def links(path: pathlib.Path) -> Iterator[str]:
    yield from _LINK.findall(_BLOCK.sub("", path.read_text()))


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: pathlib.Path) -> None:
    for link in links(path):
        assert not link.startswith(("http:", "/")), link
        if link.startswith("https:"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT)
        if path.is_relative_to(DOCS):
            assert target.is_relative_to(DOCS), f"{link} is not part of the site"
        if anchor:
            assert anchor in anchors(target), link


# -- generated pages -------------------------------------------------------------------


@pytest.mark.parametrize(
    "path, write",
    [
        pytest.param(p, w, id=str(p.relative_to(DOCS)))
        for p, w in generated()
        if p.parent not in (RULES, GALLERY) and p.stem != "gallery"
    ],
)
def test_generated_pages_are_new(path: pathlib.Path, write: Callable[[], str]) -> None:
    assert path.read_text() == write(), "python -m reference.pages"


@pytest.mark.rests_on(
    ledger.COMPILER, ROOT / "tests" / "rules", RULES, ROOT / "reference" / "pages"
)
def test_pages_of_rules_are_new() -> None:
    files = {path: write for path, write in generated() if path.parent == RULES}
    assert set(files) == set(RULES.glob("*.md")), "python -m reference.pages"
    for path, write in files.items():
        assert path.read_text() == write(), "python -m reference.pages"


@pytest.mark.rests_on(
    ledger.COMPILER,
    GALLERY,
    DOCS / "gallery.md",
    ROOT / "reference" / "numerics.py",
    ROOT / "reference" / "pages",
    *(program.file for program in PROGRAMS.values()),
    *(ROOT / "reference").glob("*/measured.json"),
)
def test_pages_of_the_gallery_are_new() -> None:
    files = {p: w for p, w in generated() if p.parent == GALLERY}
    files[DOCS / "gallery.md"] = gallery.write_entry
    assert set(files) == {DOCS / "gallery.md", *GALLERY.glob("*.md")}
    for path, write in files.items():
        assert path.read_text() == write(), "python -m reference.pages"


def test_the_gallery_has_programs_that_a_test_proves() -> None:
    assert len(PROGRAMS) == 30
    known, wrong = rows.read()
    assert not wrong
    for program in PROGRAMS.values():
        start = program.test.removesuffix("*]")
        assert any(test.startswith(start) for test in known), program.test
        assert program.file.is_file()
    recorded = json.loads(gallery_differences.FILE.read_text())
    assert set(recorded) == {n for n, p in PROGRAMS.items() if not p.scenario}


def test_every_code_has_its_page_where_findings_say() -> None:
    site = yaml.safe_load(MKDOCS.read_text())["site_url"]
    assert site == SITE
    for code in CODES:
        address = locate_page(code)
        assert address.startswith(site)
        path = DOCS / f"{address.removeprefix(site).rstrip('/')}.md"
        assert f"<{address}>" in path.read_text()
        for part in ("## What it means", "## Why", "## Related"):
            assert part in path.read_text(), (code, part)


def test_no_page_is_long() -> None:
    for page in [*PAGES, *RULES.glob("*.md")]:
        assert len(page.read_text().split()) <= 2500, page.name


def test_an_excerpt_that_is_gone_is_an_error() -> None:
    with pytest.raises(ValueError, match="no line has"):
        how_to.cut("a = 1\n", "b =", "")
    with pytest.raises(ValueError, match="no line after"):
        how_to.cut("a = 1\n", "a =", "b =")
    assert how_to.cut("x\n  a = f(\n    1)\n  b\n", "a =", "f(") == "a = f(\n  1)"


def test_every_drawing_is_shown_and_tells_what_it_shows() -> None:
    text = (DOCS / "architectures.md").read_text()
    for name, drawing in drawings.DRAWINGS.items():
        assert f"(drawings/{name}.svg)" in text
        assert len(drawing.title) > 40


def test_measured_numbers_are_those_of_their_page() -> None:
    """Rows that architectures.md takes from communication.md."""
    measured = (DOCS / "communication.md").read_text()
    rows = re.findall(
        r"^\| `(\w+)`, [^|]+\| (\d) \| ([\d.]+) \| (\d+) \|$",
        (DOCS / "architectures.md").read_text(),
        re.M,
    )
    assert len(rows) == 4
    for name, workers, megabytes, speed in rows:
        kind = (
            r", as migrated" if name.startswith("Multi") else r", TensorFlow 1\.15\.5"
        )
        row = rf"^\| {name}{kind} .*\| {workers} \| {megabytes} \|.*\| {speed} \|$"
        assert re.search(row, measured, re.M), (name, workers)


def test_the_readmes_differences_are_those_measured() -> None:
    """Over 200 steps of the asynchronous and the synchronous program, in float32."""
    measured: dict[str, float] = {}
    for page in ("async_parameter_server", "sync_replicas"):
        text = (DOCS / "numerics" / f"{page}.md").read_text()
        rows = re.findall(
            r"^\| (\w+?)_(?:float32|alone) \| float32 \| [^|]+ \| [^|]+ \| ([\d.e-]+)",
            text,
            re.M,
        )
        assert len(rows) >= 6, page
        for name, difference in rows:
            measured[name] = max(measured.get(name, 0.0), float(difference))
    assert measured.keys() == {"sgd", "momentum", "adam", "adagrad"}
    assert measured["sgd"] == measured["momentum"] == 0
    bound = max(measured["adam"], measured["adagrad"])
    for name in ("README.md", "README.zh-CN.md"):
        told = re.search(r"Adagrad \D*(\de-\d)", (ROOT / name).read_text())
        assert told and bound < float(told[1]) < 2 * bound, (name, bound)


def test_passages_of_prose_are_those_of_their_pages() -> None:
    """The right column of prose.md is what the pages say today."""
    rows = re.findall(
        r"^\| \[\w.*?\]\((.+?\.md)\) \| (.+) \| (.+) \|$",
        (DOCS / "prose.md").read_text(),
        re.M,
    )
    assert len(rows) == 10
    for name, before, now in rows:
        page = " ".join((DOCS / name).read_text().split())
        for sentence in re.split(r"(?<=\.) (?=[A-Z])", now):
            assert sentence in page, (name, sentence)
        assert before not in page, name


# -- code ------------------------------------------------------------------------------


def test_the_tutorial(tmp_path: pathlib.Path) -> None:
    """Every command of it, in one shell; other ports, for they may be taken here."""
    ledger.rests_on(ledger.COMPILER, ROOT / "reference", DOCS / "tutorial.md")
    (tmp_path / "reference").symlink_to(ROOT / "reference")
    script = "".join(blocks(DOCS / "tutorial.md", "bash"))
    for old, new in zip((2222, 2223, 2224), processes.free_ports(3)):
        assert f"localhost:{old}" in script
        script = script.replace(f"localhost:{old}", f"localhost:{new}")
    out = run(script, tmp_path, timeout=500)
    made = tmp_path / "build" / "tutorial"
    assert {p.name for p in made.iterdir()} >= {
        *("train.py", "training_session", "mnist_input_data.py"),
        *("losses.png", "report.html"),
    }
    assert "0 refused" in out and "Training took" in out
    if "recorded on another processor" in out:
        assert re.search(r"^\s*0/loss .* 5e-05$", out, re.M)  # Within what is allowed.
    else:  # Equal bits at every step.
        assert re.search(r"^\s*0/loss +0 +0 +0 +0 ", out, re.M)
    assert (made / "losses.png").read_bytes().startswith(b"\x89PNG")


def test_the_first_program(tmp_path: pathlib.Path, tf1: str) -> None:
    """Its commands after the installation, in one shell, on the page's own program."""
    page = DOCS / "first-program.md"
    ledger.rests_on(ledger.COMPILER, ROOT / "reference", page)
    (text,) = blocks(page, "python")
    for old, new in zip((2222, 2223, 2224), processes.free_ports(3)):
        assert f"localhost:{old}" in text
        text = text.replace(f"localhost:{old}", f"localhost:{new}")
    (tmp_path / "project").mkdir()
    program = tmp_path / "project" / "train.py"
    program.write_text(text)
    out = run("".join(blocks(page, "bash")), tmp_path, timeout=500)
    checked, migrated, model, trained, proved = blocks(page, "text")
    assert checked in out and migrated in out
    assert model in program.read_text()
    # Which steps are printed is a race of the workers, as the page says, and as in TF1:
    # one reads the step's number while the other one counts. Both may miss every one. That
    # they end is no race.
    line = re.compile(r"^step (\d+): loss [\d.]+$", re.M)
    printed = {int(step) for step in line.findall(out)}
    assert printed <= {0, 50, 100, 150, 200}
    assert {int(step) for step in line.findall(trained)} <= {0, 50, 100, 150, 200}
    saved = (tmp_path / "project" / "checkpoints" / "checkpoint").read_text()
    assert re.search(r'^model_checkpoint_path: "model.ckpt-20[01]"$', saved, re.M)
    # Differences depend on the processor; what is compared does not.
    for line in (proved.partition(", largest")[0], "fetch Mean (worker 1) "):
        assert line in proved and f"\n{line}" in f"\n{out}", out


def test_the_example_of_contributing() -> None:
    """Its Python blocks, in one session."""
    code = "".join(blocks(DOCS / "contributing.md", "python"))
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_the_example_of_the_home_page() -> None:
    """Each line is one of a program, or of what the tool writes for it."""
    shown = re.findall(
        r"^    ```python\n(.*?)^    ```$", INDEX.read_text(), re.M | re.S
    )
    for code, text in zip(shown, (CLUSTER, migrate_text(CLUSTER).text), strict=True):
        known = {line.strip() for line in text.splitlines()}
        assert {line.strip() for line in code.splitlines()} <= known | {""}


def test_the_models_of_estimators() -> None:
    """Each pair is a program and what the tool writes for it."""
    pages = ("keras-models", "keras-files", "hooks")
    every = [b for p in pages for b in blocks(ESTIMATORS / f"{p}.md", "python")]
    # What shows two files side by side is no program.
    found = [block for block in every if not block.startswith("# network.py")]
    assert len(found) == 10
    for before, after in zip(found[::2], found[1::2]):
        migration = migrate_text(f"import tensorflow as tf\n\n\n{before}")
        assert migration.text.endswith(f"\n\n\n{after}")


def test_the_program_of_model_fit() -> None:
    before, after = blocks(ESTIMATORS / "model-fit.md", "python")
    options = Options(estimators="fit")
    migration = migrate_text(f"import tensorflow as tf\n\n\n{before}", options)
    assert migration.text.endswith(f"\n\n\n{after}")


_FIT = """
import numpy as np
import tf_keras

{callback}

model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = np.ones([40, 1])
for limit in (0.0, 1e9):
    stop = StopBelow("loss", limit)
    model.fit(x, x, batch_size=10, epochs=2, verbose=0, callbacks=[stop])
"""


def test_the_callback_of_estimators() -> None:
    """The class that was a hook stops `fit` too, and counts its steps."""
    *_, after = blocks(ESTIMATORS / "hooks.md", "python")
    callback = ast.get_source_segment(after, ast.parse(after).body[0])
    done = subprocess.run(
        [sys.executable, "-c", _FIT.format(callback=callback)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.split("\n")[:2] == ["8 steps", "1 steps"]


def test_the_readmes_commands(tmp_path: pathlib.Path) -> None:
    """Installation and the tests themselves are not run here: `.ci/run` does both."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "README.zh-CN.md")]
    commands = [re.findall(r"^    (pip .+)$", text, re.M) for text in texts]
    assert commands[0] == commands[1] == ["pip install . && tf1to2 demo"]
    blocks = [re.findall(r"^    (tf1to2[^#]*)", text, re.M) for text in texts]
    assert blocks[0] == blocks[1] and len(blocks[0]) == 5
    links = [set(re.findall(r"\]\(([^)]+)\)", text)) for text in texts]
    assert links[0] ^ links[1] <= {"README.md", "README.zh-CN.md", "docs/glossary.md"}
    for link in links[0] | links[1]:
        assert (ROOT / link).exists(), link
    # One screen and a half.
    assert all(text.count("\n") < 80 for text in texts)
    inline = [set(re.findall(r"`((?:tf1to2|python) [^`]+)`", text)) for text in texts]
    assert inline[0] == inline[1]
    assert "strategy.scope()" in run("tf1to2 demo\n", tmp_path)
    assert "async_parameter_server" in run("python -m reference list", tmp_path)


def test_every_other_block_is_known() -> None:
    """A page with a new kind of code has to have a test."""
    executed = {
        # Page: languages, and by what.
        "beside.md": {"python"},  # tests/migrate/backends/direct_steps
        "index.md": {"console"},
        "first-program.md": {"bash", "console", "python", "text"},
        "tutorial.md": {"bash", "console"},
        "checkpoints.md": {"text"},  # tests/reference/test_tf1_checkpoint.py
        "contributing.md": {"python", "console"},
        "command.md": {"console", "toml", "yaml"},  # tests/migrate/test_command_page.py
        "clusters.md": {"json", "yaml", "bash"},  # tests/reference/test_cluster_docs.py
        "estimators/keras-models.md": {"python"},
        "estimators/keras-files.md": {"python"},
        "estimators/model-fit.md": {"python"},
        "estimators/hooks.md": {"python"},
        "how-to": {"python"},  # Generated, of executed programs.
        "mistakes.md": {"python", "diff"},  # Generated, of executed programs.
        "prove.md": {"sh", "text"},  # tests/verify
    }
    for page in PAGES:
        found = {language for language, _ in _BLOCK.findall(page.read_text())}
        name = page.relative_to(DOCS).as_posix()
        name = "how-to" if page.parent == DOCS / "how-to" else name
        assert found <= executed.get(name, set()), name
