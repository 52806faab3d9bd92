"""Mistakes that tutorials teach: what is found, and what the fix changes when run."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

HERE = pathlib.Path(__file__).parents[1] / "programs"
PROGRAMS = {p.stem: p.read_text() for p in (HERE / "mistakes").glob("[!_]*.py")}
CODES = {
    "hosts": {"D101"},
    "softmax_twice": {"D102"},
    "no_softmax": {"D103"},
    "mean_of_a_part": {"D104"},
    "whole_batch_for_all": {"D106", "D108"},
    "communication": {"D109"},
    "older_names": {"D109", "D136"},
}
ALONE = ("hosts", "softmax_twice", "no_softmax", "communication", "older_names")
REPLICATED = ("mean_of_a_part", "whole_batch_for_all")


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float] | None]:
    """By "old NAME", "new NAME" and "one NAME" (the fixed program on one replica).

    None: the program has failed.
    """
    directory = tmp_path_factory.mktemp("mistakes")

    def run(group: dict[str, str]) -> dict[str, list[float] | None]:
        paths = []
        for title, text in group.items():
            path = directory / f"{title.replace(' ', '_')}.py"
            path.write_text(text)
            paths.append(path)
        out = directory / f"out_{paths[0].stem}"
        subprocess.run(
            [sys.executable, str(HERE / "alone" / "run_all.py"), str(out), *paths],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            timeout=240,
            check=False,
        )
        found: dict[str, list[float] | None] = {}
        for title, path in zip(group, paths, strict=True):
            log = out / path.stem / "loss.0"
            lines = log.read_text().splitlines() if log.exists() else []
            found[title] = [float(line.split()[1]) for line in lines] or None
        return found

    fixed = {name: migrate_text(text).text for name, text in PROGRAMS.items()}
    old = dict(PROGRAMS)
    # That its run is called otherwise is a mistake of its own.
    renamed = old["whole_batch_for_all"].replace("experimental_run_v2", "run")
    groups = [
        {
            **{f"old {name}": old[name] for name in ALONE},
            "old name": old["whole_batch_for_all"],
            **{f"one {n}": fixed[n].replace("else 2", "else 1") for n in REPLICATED},
        },
        {f"new {name}": fixed[name] for name in ALONE},
        {"old mean_of_a_part": old["mean_of_a_part"]},
        {"old whole_batch_for_all": renamed},
        *[{f"new {name}": fixed[name]} for name in REPLICATED],
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return {k: v for found in pool.map(run, groups) for k, v in found.items()}


@pytest.mark.parametrize("name", CODES)
def test_is_found_and_mended_once(name: str) -> None:
    migration = migrate_text(PROGRAMS[name])
    assert {f.code for f in migration.findings} == CODES[name]
    assert {f.outcome for f in migration.findings} == {Outcome.REWRITTEN}
    again = migrate_text(migration.text)
    assert again.text == migration.text and not again.findings


def test_every_program_is_listed() -> None:
    assert set(PROGRAMS) == set(CODES)


def test_a_cluster_has_its_hosts(traces: dict[str, list[float] | None]) -> None:
    assert traces["old hosts"] is None
    assert traces["new hosts"] == [2, 2]


def test_one_softmax_learns_faster(traces: dict[str, list[float] | None]) -> None:
    """The mean probability of the right class after 30 steps: .770 and .824."""
    old, new = traces["old softmax_twice"], traces["new softmax_twice"]
    assert old and new and old[-1] < 0.78 and new[-1] > 0.82


def test_logits_are_learned_from(traces: dict[str, list[float] | None]) -> None:
    """The share of right answers after 30 steps: .38 and .97."""
    old, new = traces["old no_softmax"], traces["new no_softmax"]
    assert old and new and old[-1] < 0.5 and new[-1] > 0.9


def test_a_name_that_is_gone(traces: dict[str, list[float] | None]) -> None:
    assert traces["old name"] is None and traces["old communication"] is None
    assert traces["new communication"] == [1]
    assert traces["new older_names"] == [6, 22]


@pytest.mark.parametrize("name", REPLICATED)
def test_two_replicas_learn_what_one_learns(
    name: str, traces: dict[str, list[float] | None]
) -> None:
    """Float32 sums over halves of a batch; the mistake doubles every step."""
    old, new, one = (traces[f"{which} {name}"] for which in ("old", "new", "one"))
    assert old and new and one
    assert max(abs(a - b) for a, b in zip(new, one, strict=True)) < 1e-6
    assert abs(old[0] - 2 * one[0]) < 1e-6
    assert abs(old[-1] - one[-1]) > 0.5


RIGHT = (
    'tf.train.ClusterSpec({"ps": ["a:1"], "worker": FLAGS.hosts.split(",")})',
    'tf.train.ClusterSpec({"ps": hosts})',
    "m = tf.keras.Sequential([tf.keras.layers.Dense(3, activation='softmax')])\n"
    "l = tf.keras.losses.CategoricalCrossentropy()",
    "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
    "l = tf.keras.losses.CategoricalCrossentropy(from_logits=True)",
    "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
    "n = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
    "l = tf.keras.losses.CategoricalCrossentropy()",
    "m = tf.keras.Sequential([tf.keras.layers.Dense(3), Head()])\n"
    "l = tf.keras.losses.CategoricalCrossentropy()",
    "tf.app.flags.DEFINE_string('ps_hosts', '', '')\n"
    "FLAGS.ps_hosts = FLAGS.ps_hosts.split(',')\n"
    'tf.train.ClusterSpec({"ps": FLAGS.ps_hosts})'.replace("tf.app.flags.", "flags."),
    "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
    "l = tf.keras.losses.CategoricalCrossentropy()\n"
    "l(y, tf.nn.softmax(m(x)))",
    "s = tf.distribute.MirroredStrategy()\n"
    "o = tf.keras.losses.MeanSquaredError(reduction='none')\n"
    "def f(x):\n    loss = tf.reduce_mean(o(x, x))\n"
    "    loss = loss / s.num_replicas_in_sync\n    tape.gradient(loss, v)\ns.run(f)",
    "s = tf.distribute.MirroredStrategy()\n"
    "d = s.experimental_distribute_dataset(tf.data.Dataset.range(3))\n"
    "for x in d:\n    s.run(f, args=(x,))",
    "s = tf.distribute.MirroredStrategy()\nd = tf.data.Dataset.range(3)\n"
    "for x in d:\n    s.run(f, args=(1,))",
    "d = tf.data.Dataset.range(3)\nfor x in d:\n    pool.run(f, args=(x,))",
    "s = tf.distribute.MirroredStrategy()\n"
    "def f(x):\n    loss = tf.reduce_mean(x)\n    tape.gradient(loss, v)\ns.run(f)",
    "tf.distribute.ParameterServerStrategy(cluster_resolver=resolver)",
)


@pytest.mark.parametrize("program", RIGHT)
def test_what_is_right_is_left_alone(program: str) -> None:
    text = f"import tensorflow as tf\n{program}\n"
    migration = migrate_text(text)
    assert migration.text == text and not migration.findings


def test_the_older_parameter_servers_are_told() -> None:
    text = (
        "import tensorflow as tf\n"
        "s = tf.distribute.experimental.ParameterServerStrategy()\n"
    )
    (finding,) = migrate_text(text).findings
    assert (finding.code, finding.outcome) == ("D110", Outcome.REFUSED)


@pytest.mark.parametrize(
    ("old", "codes", "new"),
    [
        (
            "it = s.make_dataset_iterator(d)\nit.initialize()",
            {"D136": Outcome.REFUSED},
            "it = s.make_dataset_iterator(d)",
        ),
        (
            "e = tf.keras.estimator.model_to_estimator(keras_model=m)",
            {"D137": Outcome.REFUSED},
            "model_to_estimator(keras_model=m)",
        ),
        (
            "s = tf.contrib.distribute.MirroredStrategy(num_gpus=2)",
            {"T103": Outcome.REWRITTEN},
            's = tf.distribute.MirroredStrategy(devices=["/gpu:%d" % i for i in range(2)])',
        ),
        (
            "s = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=1)",
            {"T103": Outcome.REWRITTEN},
            "s = tf.distribute.MultiWorkerMirroredStrategy()",
        ),
        (
            "s = tf.contrib.distribute.MirroredStrategy(num_gpus=2, devices=d)",
            {"T110": Outcome.REFUSED},
            "tf.contrib.distribute.MirroredStrategy(num_gpus=2, devices=d)",
        ),
    ],
)
def test_older_names(old: str, codes: dict[str, Outcome], new: str) -> None:
    migration = migrate_text(f"import tensorflow as tf\n{old}\n")
    found = {f.code: f.outcome for f in migration.findings}
    assert {c: found.get(c) for c in codes} == codes
    assert new in migration.text


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ('FLAGS.job_name == "worker"', True),
        ("FLAGS.task_index == 1", True),
        ("True", True),
        ("FLAGS.task_index == 0", False),
        ("is_chief", False),
    ],
)
def test_who_is_chief(test: str, wrong: bool) -> None:
    text = (HERE / "sync_old_wiring.py").read_text()
    assert text.count("is_chief=") == 1
    program = (HERE / "supervised_loop.py").read_text()
    old = "is_chief=(FLAGS.task_index == 0)"
    assert program.count(old) == 1
    codes = {
        f.code for f in migrate_text(program.replace(old, f"is_chief={test}")).findings
    }
    assert ("D111" in codes) == wrong


def test_initial_values_by_every_worker() -> None:
    program = (HERE / "plain_server_session.py").read_text()
    assert "D112" not in {f.code for f in migrate_text(program).findings}
    start = program.index("        if is_chief:\n            sess.run(init_op)")
    end = program.index("        step = 0\n")
    naive = program[:start] + "        sess.run(init_op)\n" + program[end:]
    (finding,) = [f for f in migrate_text(naive).findings if f.code == "D112"]
    assert finding.outcome is Outcome.REWRITTEN


@pytest.mark.parametrize(
    ("cluster", "strategy"),
    [
        ('{"ps": ["a:1"], "worker": ["b:1"]}', "ParameterServerStrategy"),
        ('{"worker": ["a:1", "b:1"]}', "MultiWorkerMirroredStrategy"),
    ],
)
def test_eager_code_in_a_session(cluster: str, strategy: str) -> None:
    text = f"""
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
cluster = tf.train.ClusterSpec({cluster})
with tf.train.MonitoredTrainingSession(master="grpc://b:1", is_chief=True) as sess:
    for step in range(10):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""
    migration = migrate_text(text)
    (finding,) = [f for f in migration.findings if f.code == "D113"]
    assert strategy in finding.recipe
    assert finding.outcome is Outcome.REFUSED
