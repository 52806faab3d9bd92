"""The names of Estimators that the fallback gives a home are in the package, as they were.

One process asks the package, through the modules that are written beside programs.
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import pytest

from migrate import emitted
from migrate.fallback.homes import Lost, find_home
from migrate.tables import graph_estimators, symbols
from reference import processes, runner

# Its new parameter stands before the last one, the twelfth.
INSERTED = {"tf.estimator.DNNLinearCombinedEstimator": "batch_norm"}
_ASKED = """\
import functools, importlib, inspect, json, os, sys
os.environ["TF_USE_LEGACY_KERAS"] = "1"
sys.path.insert(0, sys.argv[1])
found = {}
for home in json.loads(sys.argv[2]):
    module, *names = home.split(".")
    try:
        here = functools.reduce(getattr, names, importlib.import_module(module))
    except AttributeError:
        continue
    found[home] = None
    if callable(here):
        found[home] = list(inspect.signature(here).parameters)
print(json.dumps(found))
"""


@functools.cache
def _parameters() -> dict[str, list[str] | None]:
    """Home -> its parameters; those that are not there are left out."""
    support = pathlib.Path(emitted.__file__).with_name("support")
    homes = sorted(
        {*graph_estimators.HOMES.values(), *graph_estimators.MODULES.values()}
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _ASKED,
            str(support),
            json.dumps([*homes, "graph_estimators.Nothing"]),
        ],
        env=processes.environment_with(runner.ENVIRONMENT),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str] | None] = json.loads(done.stdout.splitlines()[-1])
    assert "graph_estimators.Nothing" not in found
    return found


def test_every_module_is_there() -> None:
    assert set(graph_estimators.MODULES.values()) <= set(_parameters())


@pytest.mark.parametrize("symbol", graph_estimators.HOMES)
def test_a_home_takes_what_tensorflow_1_15_5_took(symbol: str) -> None:
    """Its parameters begin with 1.15.5's, in their order."""
    home = find_home(symbol)
    assert home == graph_estimators.HOMES[symbol] and home in _parameters()
    row = symbols.look_up(symbol)
    assert row is not None
    before, now = list(row.signature_v1), _parameters()[home]
    if now is None or now[:2] == ["x", "y"] or before == ["**kwargs"]:
        return  # A wrapper passes all on; classes without an __init__ take nothing.
    if symbol in INSERTED:
        now.remove(INSERTED[symbol])
    assert [n.lstrip("*") for n in now[: len(before)]] == [
        n.lstrip("*") for n in before
    ]


def test_every_other_name_of_tf_estimator_has_a_reason() -> None:
    """Hooks are tf.train's, modes are words; trees are in no package."""
    lost = {
        symbol
        for symbol in symbols.list_symbols()
        if symbol.startswith("tf.estimator.")
        and symbol not in symbols.list_modules()
        and isinstance(find_home(symbol), Lost)
    }
    trees = {
        f"tf.estimator.BoostedTrees{name}"
        for name in ("Classifier", "Estimator", "Regressor")
    }
    assert lost - {"tf.estimator.tpu.experimental.EmbeddingConfigSpec"} == trees


def test_without_the_package_an_import_says_what_to_install(
    tmp_path: pathlib.Path,
) -> None:
    text = emitted.read_source("graph_estimators.py").decode()
    (tmp_path / "graph_estimators.py").write_text(
        text.replace('find_spec("tensorflow_estimator")', 'find_spec("nothing_of_it")')
    )
    done = _import(tmp_path, "import graph_estimators")
    assert "pip install --no-deps tensorflow-estimator==2.15.0" in done


@pytest.mark.parametrize(
    ("module", "used"),
    (
        ("tpu_embedding", "AdagradParameters(0.1)"),
        ("session_support", "start_worker_watchdog(None)"),
    ),
)
def test_what_is_for_a_tpu_says_so(
    module: str, used: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "graph_estimators.py").write_bytes(
        emitted.read_source("graph_estimators.py")
    )
    said = _import(
        tmp_path,
        "import sys, graph_estimators",
        f"sys.modules['tensorflow.python.tpu.{module}'].{used}",
    )
    assert "is for TPUs" in said and "use_tpu=False" in said


def _import(directory: pathlib.Path, *lines: str) -> str:
    """Returns the error of a process that imports a module and fails."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=processes.environment_with(runner.ENVIRONMENT),
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr
