"""`tf1to2 checkpoint` on checkpoints that TensorFlow 1.15.5 wrote."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

tf = pytest.importorskip("tensorflow")

from migrate.cli import main  # noqa: E402
from reference import checkpoints  # noqa: E402
from reference.processes import run_tasks  # noqa: E402
from reference.tf1_checkpoint import contents, matching, writing  # noqa: E402
from reference.tf1_checkpoint.bundle import Bundle, Entry, Part, find_prefix  # noqa: E402
from reference.tf1_checkpoint.tables import Unreadable  # noqa: E402
from tests.support import saved_models, tf1_saved  # noqa: E402

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "checkpoints.md"
MODELS = pathlib.Path(saved_models.__file__)
FIRST, MORE = 10, 5
SPREAD = ["--partition-strategy", "div", "--partition-strategy", "tower/table=mod"]


@pytest.fixture(scope="module")
def saved(
    tf1: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], pathlib.Path]:
    """The directory where TensorFlow 1.15.5 has saved a model."""
    made: dict[str, pathlib.Path] = {}

    def save(optimizers: str) -> pathlib.Path:
        if optimizers not in made:
            directory = tmp_path_factory.mktemp(optimizers)
            run_tasks(
                tf1,
                pathlib.Path(tf1_saved.__file__),
                [str(directory), optimizers, str(FIRST), str(MORE)],
                directory / "log",
                ps=0,
                preloaded=True,
                command_line=lambda job, index, hosts: [],
            )
            made[optimizers] = directory
        return made[optimizers]

    return save


@pytest.fixture
def mixed(saved: Callable[[str], pathlib.Path]) -> pathlib.Path:
    """The first checkpoint of the program with five optimizers."""
    return saved("mixed") / f"model.ckpt-{FIRST}"


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["checkpoint", *map(str, arguments)])


def expected(prefix: pathlib.Path) -> dict[str, np.ndarray]:
    found = np.load(prefix.parent / "expected.npz")
    return {name.replace("|", "/"): found[name] for name in found.files}


def names_file(directory: pathlib.Path, scope: str = "") -> pathlib.Path:
    path = directory / "names.json"
    names = {
        f"{scope}table/embeddings": "tower/table",
        f"{scope}hidden/kernel": "tower/hidden/kernel",
        f"{scope}hidden/bias": "tower/hidden/bias",
    }
    path.write_text(json.dumps(names))
    return path


def inputs() -> tuple[np.ndarray, np.ndarray]:
    x, ids, _ = tf1_saved.batch(1000)
    return x, ids.astype(np.int32)


# -- reading --------------------------------------------------------------------------


def test_every_entry_is_read_as_tensorflow_reads_it(mixed: pathlib.Path) -> None:
    bundle = Bundle(mixed)
    reader = tf.train.load_checkpoint(str(mixed))
    shapes = reader.get_variable_to_shape_map()
    assert set(bundle.entries) == set(shapes)
    for name, entry in bundle.entries.items():
        value = reader.get_tensor(name)
        assert (entry.shape, entry.dtype) == (value.shape, value.dtype.name), name
        np.testing.assert_array_equal(bundle.rows(entry), value, err_msg=name)


def test_parts_are_those_that_tensorflow_1_had(mixed: pathlib.Path) -> None:
    values = expected(mixed)
    bundle = Bundle(mixed)
    for name, axis, count in [("tower/table", 0, 3), ("columns", 1, 4), ("wide", 0, 2)]:
        parts = [values[f"{name}/part_{i}"] for i in range(count)]
        whole = np.concatenate(parts, axis)
        entry = bundle.entries[name]
        assert [p.shape for p in entry.parts] == [p.shape for p in parts]
        np.testing.assert_array_equal(bundle.rows(entry), whole)
        np.testing.assert_array_equal(bundle.rows(entry, 1, 2), whole[1:2])


def test_kinds_of_entries(mixed: pathlib.Path) -> None:
    items = contents.classify(Bundle(mixed).entries)
    slots = {
        name: (i.of, i.optimizer, i.slot)
        for name, i in items.items()
        if i.kind == contents.SLOT
    }
    assert slots == {
        "columns/RMSProp": ("columns", "RMSProp", "rms"),
        "columns/RMSProp_1": ("columns", "RMSProp", "mg"),
        "columns/RMSProp_2": ("columns", "RMSProp", "momentum"),
        "out/bias/RMSProp": ("out/bias", "RMSProp", "rms"),
        "out/bias/RMSProp_1": ("out/bias", "RMSProp", "momentum"),
        "out/kernel/Momentum": ("out/kernel", "Momentum", "momentum"),
        "tower/hidden/bias/Adam": ("tower/hidden/bias", "Adam", "m"),
        "tower/hidden/bias/Adam_1": ("tower/hidden/bias", "Adam", "v"),
        "tower/hidden/kernel/Adam": ("tower/hidden/kernel", "Adam", "m"),
        "tower/hidden/kernel/Adam_1": ("tower/hidden/kernel", "Adam", "v"),
        "tower/table/Adam": ("tower/table", "Adam", "m"),
        "tower/table/Adam_1": ("tower/table", "Adam", "v"),
        "wide/Ftrl": ("wide", "Ftrl", "accum"),
        "wide/Ftrl_1": ("wide", "Ftrl", "linear"),
    }
    others = {n: i.kind for n, i in items.items() if i.kind != contents.SLOT}
    assert others == {
        "beta1_power": contents.COUNTER,
        "beta2_power": contents.COUNTER,
        "columns": contents.VARIABLE,
        "global_step": contents.STEP,
        "out/bias": contents.VARIABLE,
        "out/bias/ExponentialMovingAverage": contents.AVERAGE,
        "out/kernel": contents.VARIABLE,
        "out/kernel/ExponentialMovingAverage": contents.AVERAGE,
        "tower/hidden/bias": contents.VARIABLE,
        "tower/hidden/kernel": contents.VARIABLE,
        "tower/table": contents.VARIABLE,
        "wide": contents.VARIABLE,
    }


def entries_of(*names: str) -> dict[str, Entry]:
    part = Part((0,), (3,), 0, 0, 12)
    return {n: Entry(n, "float32", (3,), (part,), n) for n in names}


@pytest.mark.parametrize(
    ("names", "name", "of", "optimizer", "slot"),
    [
        (["w", "train/w/Adam"], "train/w/Adam", "w", "Adam", "m"),
        (["w", "w/Mine", "w/Mine_1"], "w/Mine_1", "w", "Mine", "1"),
        (["w", "w/Adam_1"], "w/Adam_1", "w", "Adam_1", "0"),
        (["a/w", "b/w", "b/w/Momentum"], "b/w/Momentum", "b/w", "Momentum", "momentum"),
    ],
)
def test_slots_by_name(
    names: list[str], name: str, of: str, optimizer: str, slot: str
) -> None:
    item = contents.classify(entries_of(*names))[name]
    assert item.kind == contents.SLOT
    assert (item.of, item.optimizer, item.slot) == (of, optimizer, slot)


def test_a_directory_means_its_newest(saved: Callable[[str], pathlib.Path]) -> None:
    directory = saved("mixed")
    newest = directory / f"model.ckpt-{FIRST + MORE}"
    assert find_prefix(directory) == newest
    for suffix in (".index", ".meta", ".data-00000-of-00001"):
        assert find_prefix(f"{newest}{suffix}") == newest


def test_what_cannot_be_read_is_told(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    def copy(name: str) -> tuple[pathlib.Path, pathlib.Path]:
        prefix = tmp_path / name
        for suffix in (".index", ".data-00000-of-00001"):
            shutil.copy(f"{mixed}{suffix}", f"{prefix}{suffix}")
        return pathlib.Path(f"{prefix}.index"), pathlib.Path(
            f"{prefix}.data-00000-of-00001"
        )

    index, data = copy("cut")
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(Unreadable, match="data-00000-of-00001 is cut off"):
        Bundle(index)
    data.unlink()
    with pytest.raises(Unreadable, match="data-00000-of-00001 is missing"):
        Bundle(index)
    index, _ = copy("short")
    index.write_bytes(index.read_bytes()[:-20])
    with pytest.raises(Unreadable, match="the index is cut off"):
        Bundle(index)
    index, data = copy("flipped")
    Bundle(index).check(Bundle(index).entries["tower/table"])
    at = Bundle(index).entries["tower/table"].parts[1].offset
    values = bytearray(data.read_bytes())
    values[at] ^= 1
    data.write_bytes(bytes(values))
    with pytest.raises(Unreadable, match="checksum of tower/table does not match"):
        Bundle(index).check(Bundle(index).entries["tower/table"])
    for given in (
        ["compare", index, mixed],
        ["convert", index, tmp_path / "new", *SPREAD],
    ):
        result = invoke(*given)
        assert result.exit_code == 2 and "is damaged" in result.output
    assert not list(tmp_path.glob("new*"))
    old = tmp_path / "model.ckpt"
    old.write_bytes(b"one file")
    with pytest.raises(Unreadable, match="before TensorFlow 0.12"):
        Bundle(old)
    result = invoke("inspect", tmp_path / "nowhere")
    assert result.exit_code == 2 and "there is no checkpoint" in result.output


def test_inspect(mixed: pathlib.Path) -> None:
    result = invoke("inspect", mixed)
    assert result.exit_code == 0
    for line in (
        "tower/table                            float32 11×3, 3 parts",
        "  tower/table/Adam_1                   float32 11×3, 3 parts  Adam's v",
        "  out/bias/ExponentialMovingAverage    float32 2  moving average",
        "7 variables, 123 values, 492 B",
        "Ftrl: 2 slots (accum, linear), 96 B",
        "RMSProp: 5 slots (rms, mg, momentum), 208 B",
        f"global_step: {FIRST}",
    ):
        assert line in result.output.splitlines()
    read = json.loads(invoke("inspect", "--json", mixed).output)
    assert {e["name"]: e["parts"] for e in read["entries"]}["columns"] == 4


def test_inspect_and_compare_do_without_tensorflow(mixed: pathlib.Path) -> None:
    code = (
        "import sys\nfrom migrate.cli import main\n"
        "for command in (['inspect', sys.argv[1]], ['compare', *sys.argv[1:] * 2]):\n"
        "    try: main(['checkpoint', *command])\n"
        "    except SystemExit as end: assert not end.code\n"
        "assert 'tensorflow' not in sys.modules and 'h5py' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(mixed)], check=True, timeout=60)


def test_the_pages_examples(mixed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """They are what the commands print, but for the directory."""
    listing, table = re.findall(r"```text\n\$ .*\n((?:.+\n|\n)+?)```", PAGE.read_text())
    assert invoke("inspect", mixed).output == f"{mixed.parent}/{listing}"
    given = ["--model", f"{MODELS}:build_with_tf_keras"]
    result = invoke("convert", mixed, tmp_path / "new.weights.h5", *given)
    assert (result.exit_code, result.output) == (1, table)


# -- comparing ------------------------------------------------------------------------


def changed(
    prefix: pathlib.Path,
    directory: pathlib.Path,
    change: Callable[[dict[str, Any]], None],
) -> pathlib.Path:
    reader = tf.train.load_checkpoint(str(prefix))
    values = {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}
    change(values)
    checkpoints.write(directory, values, FIRST)
    return directory


def test_a_checkpoint_equals_its_copy(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    copy = changed(mixed, tmp_path, lambda values: None)  # Not partitioned.
    result = invoke("compare", mixed, copy)
    assert (result.exit_code, result.output) == (0, "Equal: 26 entries.\n")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda v: v.pop("wide/Ftrl"), "wide/Ftrl  is not in the second"),
        (lambda v: v.update(new=np.ones(2)), "new  is not in the first"),
        (
            lambda v: v.update({"out/bias": np.ones(3, np.float32)}),
            "out/bias  has shape [2] and [3]",
        ),
        (
            lambda v: v.update({"out/bias": v["out/bias"].astype(np.float64)}),
            "out/bias  is of float32 and float64",
        ),
        (
            lambda v: v["tower/table"].__setitem__((9, 1), np.nan),
            "tower/table  1 of 33 values differ by up to inf",
        ),
        (
            lambda v: v["wide"].__iadd__(np.float32(0.5)),
            "wide  12 of 12 values differ by up to 0.5",
        ),
        (
            lambda v: v.update(global_step=np.int64(11)),
            "global_step  value differs by up to 1",
        ),
    ],
)
def test_what_differs(
    mixed: pathlib.Path, tmp_path: pathlib.Path, change: Any, line: str
) -> None:
    result = invoke("compare", mixed, changed(mixed, tmp_path, change))
    assert result.exit_code == 1
    assert result.output.splitlines()[0] == line


def test_compare_allows_what_is_said(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    other = changed(mixed, tmp_path, lambda v: v["wide"].__iadd__(np.float32(0.5)))
    assert invoke("compare", mixed, other, "--tolerance", 0.6).exit_code == 0
    assert invoke("compare", mixed, other, "--tolerance", 0.4).exit_code == 1


# -- to Keras -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("builder", "scope"), [("build_with_tf_keras", "net/"), ("build_with_keras_3", "")]
)
def test_keras_predicts_the_same(
    mixed: pathlib.Path,
    tmp_path: pathlib.Path,
    builder: str,
    scope: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing, "AT_ONCE", 40)  # Three rows of the table.
    given = [
        *("--model", f"{MODELS}:{builder}"),
        *("--names", names_file(tmp_path, scope)),
    ]

    def predict(name: str, *options: str) -> np.ndarray:
        target = tmp_path / f"{name}.weights.h5"
        result = invoke("convert", mixed, target, *given, *options)
        assert result.exit_code == 0, result.output
        model = getattr(saved_models, builder)()
        model.load_weights(str(target))
        return np.asarray(model(inputs()))

    values = expected(mixed)
    np.testing.assert_allclose(
        predict("plain", *SPREAD), values["logits"], rtol=0, atol=1e-6
    )
    averaged = predict("averaged", *SPREAD, "--averages")
    np.testing.assert_allclose(averaged, values["averaged"], rtol=0, atol=1e-6)
    # The controls: averages are others, and "div" gives ids other rows.
    assert np.abs(averaged - values["logits"]).max() > 1e-4
    wrong = predict("wrong", "--partition-strategy", "div")
    assert np.abs(wrong - values["logits"]).max() > 1e-2


def test_rows_of_a_huge_model_are_not_made(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    given = ["--model", f"{MODELS}:build_huge", "--leave", "*"]
    result = invoke("convert", mixed, tmp_path / "huge.weights.h5", *given)
    assert result.exit_code == 1
    assert "huge/embeddings  is missing" in result.output


def test_what_does_not_fit_is_a_table(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    target = tmp_path / "new.weights.h5"

    def wide(values: dict[str, Any]) -> None:
        for name in ("wide", "wide/Ftrl", "wide/Ftrl_1"):
            values[name] = np.ones((6, 3), np.float32)
        values["columns"] = values["columns"].astype(np.float64)
        values["forgotten"] = np.ones(2)

    source = changed(mixed, tmp_path / "source", wide)
    model = ["--model", f"{MODELS}:build_with_tf_keras"]
    result = invoke("convert", source, target, *model, *SPREAD)
    assert result.exit_code == 1
    rows = [line.split(None, 1) for line in result.output.splitlines()]
    assert rows == [
        [
            "net/wide",
            "has another shape: [6, 3] in the checkpoint, [6, 2] in the target",
        ],
        [
            "net/columns",
            "is of another type: float64 in the checkpoint, float32 in the target",
        ],
        [
            "net/table/embeddings",
            "is missing: the checkpoint has nothing of that name; --names may say that "
            "it is tower/table",
        ],
        [
            "net/hidden/kernel",
            "is missing: the checkpoint has nothing of that name; --names may say that "
            "it is tower/hidden/kernel",
        ],
        [
            "net/hidden/bias",
            "is missing: the checkpoint has nothing of that name; --names may say that "
            "it is tower/hidden/bias",
        ],
        ["forgotten", "is extra: nothing in the target takes it"],
        ["tower/hidden/bias", "is extra: nothing in the target takes it"],
        ["tower/hidden/kernel", "is extra: nothing in the target takes it"],
        ["tower/table", "is extra: nothing in the target takes it"],
        ["9", "entries do not fit; nothing is written."],
    ]
    assert not target.exists()


def test_partitions_ask_how_ids_were_spread(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    given = ["--model", f"{MODELS}:build_with_tf_keras"]
    given += ["--names", str(names_file(tmp_path, "net/"))]
    target = tmp_path / "new.weights.h5"
    result = invoke("convert", mixed, target, *given)
    assert result.exit_code == 1 and not target.exists()
    # Parts of the second axis have all rows in order.
    asked = [line.split()[0] for line in result.output.splitlines()[:-1]]
    assert asked == ["net/wide", "net/table/embeddings"]


@pytest.mark.parametrize(
    ("option", "row"),
    [
        (["--leave", "nowhere/*"], "--leave nowhere/*  no entry has such a name"),
        (
            ["--partition-strategy", "nowhere=mod"],
            "--partition-strategy nowhere=mod  no variable has such a name",
        ),
    ],
)
def test_an_option_that_names_nothing_is_told(
    mixed: pathlib.Path, tmp_path: pathlib.Path, option: list[str], row: str
) -> None:
    result = invoke("convert", mixed, tmp_path / "new", *SPREAD, *option)
    assert result.exit_code == 1
    assert row in [re.sub("  +", "  ", line) for line in result.output.splitlines()]


def test_averages_that_are_not_there_are_told(
    saved: Callable[[str], pathlib.Path], tmp_path: pathlib.Path
) -> None:
    source = saved("adam") / f"model.ckpt-{FIRST}"
    result = invoke("convert", source, tmp_path / "new", *SPREAD, "--averages")
    assert result.exit_code == 1 and "has no moving averages" in result.output


def test_names_reach_slots() -> None:
    entry = Entry("old/Adam", "float32", (2,), (), "old/Adam")
    items = {"old/Adam": contents.Item(entry, contents.SLOT, "old", "Adam", "m")}
    wanted = [matching.Wanted("k", ("Adam/new/m",), (2,), "float32", slot=("new", "m"))]
    found = matching.match(wanted, items, matching.Choices(names={"new": "old"}))
    assert [t.entry for t in found.taken] == [entry]


def test_mod_needs_the_sizes_that_mod_gives() -> None:
    parts = (Part((0, 0), (5, 2), 0, 0, 40), Part((5, 0), (2, 2), 0, 40, 16))
    entry = Entry("t", "float32", (7, 2), parts, "t")
    items = {"t": contents.Item(entry, contents.VARIABLE)}
    wanted = [matching.Wanted("t", ("t",), (7, 2), "float32")]
    found = matching.match(wanted, items, matching.Choices(strategies={"*": "mod"}))
    assert [p.what for p in found.problems] == [
        "has parts whose sizes 'mod' would not give; it is =div"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["x.h5", "--model", "a.py:f"], "only as *.weights.h5"),
        (["x.weights.h5"], "say --model"),
        (["x.weights.h5", "--model", "nowhere.py:f"], "it is FILE.py:FUNCTION"),
        (["x.weights.h5", "--model", f"{MODELS}:nothing"], "has no function nothing"),
        (["x.weights.h5", "--model", f"{MODELS}:not_a_model"], "not a Keras model"),
        (["x", "--model", f"{MODELS}:build_huge"], "--model is for a .weights.h5"),
        (["x", "--partition-strategy", "both"], "ends in div or mod"),
    ],
)
def test_wrong_usage(
    mixed: pathlib.Path, tmp_path: pathlib.Path, options: list[str], message: str
) -> None:
    name, *rest = options
    result = invoke("convert", mixed, tmp_path / name, *rest)
    assert result.exit_code == 2 and message in result.output
    assert not list(tmp_path.iterdir())


# -- to tf.train.Checkpoint -----------------------------------------------------------


class Net(tf.Module):  # type: ignore[misc]
    """The program of `tf1_saved`, written anew with attributes of other names."""

    def __init__(self, optimizer: Any) -> None:
        def zeros(name: str, *shape: int) -> Any:
            return tf.Variable(tf.zeros(shape), name=name)

        self.ids = zeros("tower/table", 11, 3)
        self.kernels = [zeros("tower/hidden/kernel", 9, 5), zeros("out/kernel", 5, 2)]
        self.biases = [zeros("tower/hidden/bias", 5), zeros("out/bias", 2)]
        self.wide = zeros("wide", 6, 2)
        self.columns = zeros("columns", 2, 8)
        self.optimizer = optimizer

    def __call__(self, x: Any, ids: Any) -> Any:
        joined = tf.concat([x, tf.gather(self.ids, ids)], 1)
        hidden = tf.nn.relu(joined @ self.kernels[0] + self.biases[0])
        out = hidden @ self.kernels[1] + self.biases[1]
        return out + x @ self.wide + tf.reduce_sum(self.columns, 1)

    def train(self, number: int) -> None:
        x, ids, y = tf1_saved.batch(number)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, ids) - y))
        variables = self.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables))


def legacy_adam() -> Any:
    import tf_keras

    return tf_keras.optimizers.legacy.Adam(0.01, epsilon=1e-8)


def template(directory: pathlib.Path, optimizer: Any) -> str:
    net = Net(optimizer)
    net.train(0)
    written: str = tf.train.Checkpoint(net=net).save(str(directory / "fresh"))
    return written


def test_training_goes_on(
    saved: Callable[[str], pathlib.Path],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing, "AT_ONCE", 64)
    directory = saved("adam")
    like = template(tmp_path, legacy_adam())
    target = tmp_path / "converted"
    source = directory / f"model.ckpt-{FIRST}"
    result = invoke("convert", source, target, "--like", like, *SPREAD)
    assert result.exit_code == 0, result.output
    net = Net(legacy_adam())
    net.train(0)  # Slots exist from here on.
    tf.train.Checkpoint(net=net).restore(str(target)).assert_consumed()
    assert int(net.optimizer.iterations) == FIRST
    logits = net(*inputs())
    np.testing.assert_allclose(logits, expected(source)["logits"], rtol=0, atol=1e-6)
    for number in range(FIRST, FIRST + MORE):
        net.train(number)
    last = Bundle(directory / f"model.ckpt-{FIRST + MORE}")
    for variable in net.trainable_variables:
        name = variable.name.partition(":")[0]
        value = last.rows(last.entries[name])
        if name == "tower/table":
            parts = [p.start[0] for p in last.entries[name].parts]
            value = value[[parts[i % 3] + i // 3 for i in range(11)]]
        np.testing.assert_allclose(variable, value, rtol=0, atol=2e-6, err_msg=name)


def test_slots_that_mean_something_else_are_missing(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    like = template(tmp_path, legacy_adam())
    target = tmp_path / "converted"
    given = ["convert", mixed, target, "--like", like, *SPREAD]
    result = invoke(*given)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert any(
        line.startswith("Adam/out/kernel/m ") and "the meaning of 'm'" in line
        for line in lines
    )
    assert not any(line.startswith("Adam/tower/table/m ") for line in lines)
    assert not list(tmp_path.glob("converted*"))
    result = invoke(*given, "--weights-only")
    assert result.exit_code == 0, result.output
    assert "Adam/iter keeps the value of --like." in result.output
    net = Net(legacy_adam())
    net.train(0)
    tf.train.Checkpoint(net=net).restore(str(target)).assert_consumed()
    assert int(net.optimizer.iterations) == 1
    np.testing.assert_allclose(
        net(*inputs()), expected(mixed)["logits"], rtol=0, atol=1e-6
    )


def test_names_as_attributes(mixed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    target = tmp_path / "converted"
    result = invoke("convert", mixed, target, *SPREAD)
    assert result.exit_code == 0, result.output
    root = tf.train.Checkpoint(
        global_step=tf.Variable(0, dtype=tf.int64),
        wide=tf.Variable(tf.zeros([6, 2])),
        out=tf.train.Checkpoint(kernel=tf.Variable(tf.zeros([5, 2]))),
    )
    status = root.read(str(target))
    status.assert_existing_objects_matched()
    values = Bundle(mixed)
    assert int(root.global_step) == FIRST
    np.testing.assert_array_equal(
        root.out.kernel, values.rows(values.entries["out/kernel"])
    )
    # And it is read by name again.
    compared = invoke("compare", mixed, target)
    differing = [line.split()[0] for line in compared.output.splitlines()[:-1]]
    slots = [n for n in values.entries if "/" in n and n.split("/")[-1][0].isupper()]
    others = {"beta1_power", "beta2_power", "tower/table"}  # The last by "mod".
    assert set(differing) == {*slots, *others}


def test_what_exists_is_not_overwritten(
    mixed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    target = tmp_path / "converted"
    assert invoke("convert", mixed, target, *SPREAD).exit_code == 0
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    result = invoke("convert", mixed, target, *SPREAD)
    assert result.exit_code == 2 and "exists" in result.output
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("limit", [1, 40, 10**6])
def test_rows_by_id(
    mixed: pathlib.Path, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more rows are read at a time than are allowed."""
    bundle = Bundle(mixed)
    entry = bundle.entries["tower/table"]
    taken = matching.Taken(
        matching.Wanted("t", ("t",), (11, 3), "float32"), entry, True
    )
    whole = bundle.rows(entry)
    starts = [part.start[0] for part in entry.parts]
    largest = 0
    read = Bundle.rows

    def watched(self: Bundle, entry: Entry, start: int = 0, stop: int = 0) -> Any:
        nonlocal largest
        values = read(self, entry, start, stop)
        largest = max(largest, values.nbytes)
        return values

    monkeypatch.setattr(Bundle, "rows", watched)
    rows = np.concatenate(
        [
            writing.read_rows(bundle, taken, start, stop)
            for start, stop in writing.row_ranges(entry.shape, entry.bytes, limit)
        ]
    )
    np.testing.assert_array_equal(
        rows, whole[[starts[i % 3] + i // 3 for i in range(11)]]
    )
    assert largest <= max(limit, 12)
