"""Private updates and tools, profiles, the projector and eager gradients do in graph mode what they did.

`homes/NAME.py` writes a line for each result, and its `.txt` is what it wrote under
TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from migrate.tables import graph_mode, kept_names, reviewed_names, symbols
from tests.fallback.recorded_lines import Fault, Lines, Recorded

# Float32 values of order 10 after a few updates: a few ULPs.
RECORDED = {
    "eager_gradients": Recorded("eager_gradients", 2e-6),
    "private_updates": Recorded("private_updates", 2e-5),
    "private_tools": Recorded("private_tools", 2e-6, frozenset({"T117"})),
    "profiles": Recorded("profiles", 0, package="tensorboard"),
}
# What is wrong in a file, and the lines of a program that depend on it.
FAULTS: dict[str, tuple[tuple[Fault, tuple[str, ...]], ...]] = {
    "eager_gradients": (
        (("eager_gradients.py", "output_gradients=dy", ""), ("named", "nested")),
        (("eager_gradients.py", "names.index(x)", "0 * names.index(x)"), ("named",)),
    ),
    "private_updates": (
        (
            ("program.py", "rho=0.9, momentum=0.1", "rho=0.1, momentum=0.9"),
            ("trained",),
        ),
        (("program.py", "alpha=0.5, delta", "alpha=0.25, delta"), ("updated",)),
    ),
    "private_tools": (
        (("program.py", '"y|product"', '"y"'), ("nodes",)),
        (("program.py", "[2.0, 3.0]", "[2.0, 4.0]"), ("computed",)),
    ),
    "profiles": (
        (("graph_profiles.py", "float_ops=1", "float_ops=0"), ("options",)),
        (("graph_profiles.py", "tfprof_cmd, **given", "'scope'"), ("few",)),
        (("program.py", '"sprite.png"', '"s.png"'), ("projector",)),
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_tensorflow_1_15_5_writes_what_is_recorded(
    name: str, tf1: str, tmp_path: pathlib.Path
) -> None:
    RECORDED[name].assert_equal(RECORDED[name].run_as_it_is(tf1, tmp_path))


@pytest.mark.parametrize("name", RECORDED)
def test_graph_mode_computes_the_same(name: str, tmp_path: pathlib.Path) -> None:
    RECORDED[name].assert_equal(RECORDED[name].run_in_graph_mode(tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lines]:
    return {
        name: RECORDED[name].run_in_graph_mode(
            tmp_path_factory.mktemp(name), *(fault for fault, _ in faults)
        )
        for name, faults in FAULTS.items()
    }


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name in FAULTS for _, lines in FAULTS[name] for line in lines],
)
def test_a_planted_fault_is_seen(
    faulty: dict[str, Lines], name: str, line: str
) -> None:
    assert not RECORDED[name].is_as_recorded(faulty[name], line)


def test_every_private_update_is_a_public_operation() -> None:
    """tf.raw_ops has each function of the module of updates."""
    module = "tensorflow.python.ops.gen_training_ops"
    names = [
        name
        for name in kept_names.list_kept(module)
        if "apply" in name and not name.endswith("_fallback")
    ]
    assert len(names) == 57
    for name in names:
        row = graph_mode.find_update(f"tf.python.training.training_ops.{name}")
        assert row is not None and symbols.exists_in_target(row.target), name


# -- names that changed ----------------------------------------------------------------


def test_every_reviewed_name_is_run() -> None:
    text = RECORDED["private_tools"].program.read_text()
    assert not [n for n in reviewed_names.REVIEWED if n.rpartition(".")[2] not in text]


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("debug.LocalCLIDebugHook()", ""),
        ("debug.LocalCLIDebugHook('readline', '/tmp/x')", ""),
        ("debug.LocalCLIDebugHook('curses')", 'ui_type="curses"'),
        ("debug.LocalCLIDebugHook(ui_type='curses')", 'ui_type="curses"'),
        ("debug.LocalCLIDebugWrapperSession(s, '/tmp/x')", ""),
        (
            "debug.LocalCLIDebugWrapperSession(s, None, True)",
            "argument 3 by its position",
        ),
        ("debug.LocalCLIDebugWrapperSession(s, log_usage=False)", "`log_usage`"),
        ("debug.LocalCLIDebugWrapperSession(*s)", "this line does not show"),
        ("debug.DumpingDebugHook('/tmp/x', log_usage=False)", "`log_usage`"),
        ("debug.WatchOptions(node_name_regex_whitelist='x')", "whitelist`"),
        ("debug.has_inf_or_nan", ""),
    ],
)
def test_a_reviewed_name_stays_if_its_call_means_the_same(
    call: str, refused: str
) -> None:
    text = f"""\
import tensorflow as tf
from tensorflow.python import debug
s = tf.Session()
x = {call}
"""
    found = bring_to_compat(text, Options(), "program.py", Part())
    codes = {f.code for f in found.findings}
    if refused:
        assert codes == {"T151"} and refused in found.findings[0].reason
    else:
        assert codes == {"T117"} and call in found.text
