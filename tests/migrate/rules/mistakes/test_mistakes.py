"""Mistakes that tutorials teach: what is found, and what the fix changes when run."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.programs.mistake_cases import (
    CASES,
    PROGRAMS,
    Case,
    Found,
    Trace,
    recorded,
    run_before,
)

HERE = pathlib.Path(__file__).parents[3] / "programs" / "clustered"
NAMES = {case.name: case for case in CASES}
# Float32 sums over halves of a batch.
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("mistakes"))


def _same(one: Trace, other: Trace) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all(
        abs(a - b) <= TOLERANCE for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_is_found_and_mended_once(case: Case) -> None:
    migration = migrate_text(case.old)
    found = [f for f in migration.findings if f.code.startswith("D")]
    assert {f.code for f in found} == case.codes
    mended = {f.outcome for f in found} == {Outcome.REWRITTEN}
    assert mended != case.by_hand
    assert all(f.recipe for f in found if f.outcome is not Outcome.REWRITTEN)
    again = migrate_text(migration.text)
    assert again.text == migration.text
    if not case.by_hand:
        assert not [f for f in again.findings if f.code.startswith("D")]


@pytest.mark.parametrize("case", [c for c in CASES if c.by_hand], ids=lambda c: c.name)
def test_mended_by_hand_it_is_found_no_more(case: Case) -> None:
    found = migrate_text(case.new).findings
    assert not [f for f in found if f.code.startswith("D")]
    assert not [f for f in found if f.outcome is Outcome.WARNED]


def test_every_program_is_listed() -> None:
    files = {p.stem for p in PROGRAMS.glob("[!_]*.py")}
    assert files == {*NAMES, *(f"{c.name}_by_hand" for c in CASES if c.by_hand)}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_what_is_shown_is_what_is_run(case: Case, traces: Found) -> None:
    """The traces of `docs/mistakes.md`; before and after differ where they are shown to."""
    shown = recorded()[case.name]
    before, after = shown["before"], shown["after"]
    assert (before is None) == case.fails
    assert after is not None and _same(before, after) == case.runs_on
    new = traces[f"new {case.name}"]
    old = before if case.workers else traces[f"old {case.name}"]
    assert case.races or (_same(new, after) and _same(old, before))


def test_tf1_makes_the_mistakes_that_are_shown(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    shown = recorded()
    for name, trace in run_before(tf1, tmp_path).items():
        if NAMES[name].races:
            continue
        assert _same(trace, shown[name]["before"]), name


def test_one_softmax_learns_faster(traces: Found) -> None:
    """The mean probability of the right class after 30 steps: .770 and .824."""
    old, new = traces["old softmax_twice"], traces["new softmax_twice"]
    assert old and new and old[-1] < 0.78 and new[-1] > 0.82


def test_logits_are_learned_from(traces: Found) -> None:
    """The share of right answers after 30 steps: .38 and .97."""
    old, new = traces["old no_softmax"], traces["new no_softmax"]
    assert old and new and old[-1] < 0.5 and new[-1] > 0.9


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.replicated], ids=lambda c: c.name
)
def test_two_replicas_learn_what_one_learns(case: Case, traces: Found) -> None:
    """The mistakes of which a program runs double every step, or make none."""
    new, one, old = (traces[f"{which} {case.name}"] for which in ("new", "one", "old"))
    assert new and one and _same(new, one)
    if not case.fails:
        assert old and abs(old[-1] - one[-1]) > 0.5
        factor = 0 if case.name == "outside_run" else 2
        assert abs(old[0] - factor * one[0]) < TOLERANCE


def test_workers_that_wait_for_nobody_are_late(traces: Found) -> None:
    assert traces["old asynchronous"] == [0]
    (late,) = traces["new asynchronous"] or [0]
    assert late >= 1


def test_steps_that_wait_for_a_second_gradient(traces: Found) -> None:
    """Six runs of one worker make six updates: each divides the loss by 4."""
    before = recorded()["more_gradients"]["before"]
    assert before and before[-1] >= 1
    assert traces["new more_gradients"] == [64 * 0.25**n for n in range(6)]


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
    # The step is called by what the strategy runs.
    "s = tf.distribute.MirroredStrategy()\nwith s.scope():\n    w = tf.Variable(1.0)\n"
    "def f(x):\n    with tf.GradientTape() as t:\n        loss = w * x\n"
    "    o.apply_gradients([(t.gradient(loss, w), w)])\n"
    "def g(x):\n    f(x)\nfor x in d:\n    s.run(g, args=(x,))",
    # The step is given to something, which may replicate it.
    "s = tf.distribute.MirroredStrategy()\nwith s.scope():\n    w = tf.Variable(1.0)\n"
    "def f(x):\n    with tf.GradientTape() as t:\n        loss = w * x\n"
    "    o.apply_gradients([(t.gradient(loss, w), w)])\n"
    "step = tf.function(f)\ns.run(step, args=(1,))\nf(2)",
    # Elements of two parts, taken apart by `args`; and as one by the step.
    "s = tf.distribute.MirroredStrategy()\n"
    "d = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((a, b)))\n"
    "def f(x, y):\n    return x\nfor batch in d:\n    s.run(f, args=batch)",
    "s = tf.distribute.MirroredStrategy()\n"
    "d = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((a, b)))\n"
    "def f(batch, more=None):\n    return batch\n"
    "for batch in d:\n    s.run(f, args=(batch,))",
    "s = tf.distribute.MultiWorkerMirroredStrategy()\n"
    "def f(c):\n    d = tf.data.Dataset.range(9).shard(2, c.input_pipeline_id)\n"
    "    return d.shuffle(9, seed=1)\ns.distribute_datasets_from_function(f)",
    "# Training is synchronous, not asynchronous as with parameter servers.\n"
    "s = tf.distribute.MirroredStrategy()",
    "# Asynchronous checkpoints of the training.\ns = tf.distribute.MirroredStrategy()",
    'c = {"ps": a, "worker": b}\ntf.distribute.ParameterServerStrategy(resolver(c))',
    'c = {"worker": b, "evaluator": a}\ntf.distribute.MultiWorkerMirroredStrategy()',
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
            "it = s.make_dataset_iterator(d)\nuse(it)",
            {"D108": Outcome.REFUSED},
            "it = s.make_dataset_iterator(d)",
        ),
        (
            "it = s.make_dataset_iterator(d)\nit.initialize()\n"
            "l = s.experimental_run(f, it)",
            {"D108": Outcome.REWRITTEN},
            "distribute_dataset(d))\nl = s.run(f, args=(it.get_next(),))",
        ),
        # A traced function would keep the iterator of the first epoch.
        (
            "it = s.make_dataset_iterator(d)\n@tf.function\ndef epoch():\n"
            "    return s.experimental_run(f, it)\n"
            "for _ in range(2):\n    it.initialize()\n    epoch()",
            {"D108": Outcome.REFUSED},
            "it.initialize()",
        ),
        (
            "e = tf.keras.estimator.model_to_estimator(keras_model=m)",
            {"D137": Outcome.REFUSED},
            "model_to_estimator(keras_model=m)",
        ),
        (
            "s = tf.contrib.distribute.MirroredStrategy(num_gpus=2)",
            {"T102": Outcome.REWRITTEN},
            's = tf.distribute.MirroredStrategy(devices=["/gpu:%d" % i for i in range(2)])',
        ),
        (
            "s = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=1)",
            {"T102": Outcome.REWRITTEN},
            "s = tf.distribute.MultiWorkerMirroredStrategy()",
        ),
        (
            "s = tf.contrib.distribute.MirroredStrategy(num_gpus=2, devices=d)",
            {"T111": Outcome.REFUSED},
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
        ('FLAGS.job_name != "ps"', True),
        ("FLAGS.task_index >= 0", True),
        ("FLAGS.task_index != 0", True),
        ("not FLAGS.task_index == 0", True),
        ("FLAGS.task_index", True),
        ("FLAGS.task_index < 2", True),
        ("FLAGS.task_index == 0", False),
        ("not FLAGS.task_index", False),
        ("FLAGS.task_index < 1", False),
        ('FLAGS.job_name == "worker" and FLAGS.task_index == 0', False),
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


_ONE = """import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
with tf.train.MonitoredTrainingSession(server.target, is_chief=True) as sess:
    sess.run(train)
"""


@pytest.mark.parametrize(
    ("given", "workers", "wrong"),
    [
        (", is_chief=True", '["b:1"]', False),
        ("", '["b:1"]', False),
        (', is_chief=FLAGS.job_name == "worker"', '["b:1"]', False),
        (", is_chief=FLAGS.task_index == 1", '["b:1"]', True),
        (", is_chief=True", '["b:1", "c:1"]', True),
        ("", '["b:1", "c:1"]', True),
        (", is_chief=True", '["b:1", *more]', True),
        (", is_chief=True", "hosts", True),
    ],
)
def test_the_only_worker_is_the_chief(given: str, workers: str, wrong: bool) -> None:
    text = _ONE.replace(", is_chief=True", given).replace('["b:1"]', workers)
    assert ("D111" in {f.code for f in migrate_text(text).findings}) == wrong


@pytest.mark.parametrize(
    ("index", "wrong"), [("0", False), ("1", True), ("FLAGS.task_index", True)]
)
def test_a_program_of_worker_0_alone_is_the_chief(index: str, wrong: bool) -> None:
    """The other tasks have files of their own, so its session is the chief's."""
    text = _ONE.replace('["b:1"]', '["b:1", "c:1"]')
    text = text.replace(
        "FLAGS.job_name, FLAGS.task_index)", f'"worker", task_index={index})'
    )
    assert ("D111" in {f.code for f in migrate_text(text).findings}) == wrong
    plain = text.replace("MonitoredTrainingSession", "Session").replace(
        ", is_chief=True", ""
    )
    plain = plain.replace("tf.train.Session", "tf.Session").replace(
        "(train)", "(tf.global_variables_initializer())"
    )
    by_all = "D112" in {f.code for f in migrate_text(plain).findings}
    assert by_all == (index == "FLAGS.task_index")


def test_chief_by_default() -> None:
    program = (HERE / "supervised_loop.py").read_text()
    given = "is_chief=(FLAGS.task_index == 0),"
    assert program.count(given) == 1
    migration = migrate_text(program.replace(given, ""))
    (finding,) = [f for f in migration.findings if f.code == "D111"]
    assert finding.outcome is Outcome.REWRITTEN
    assert "is_chief=task_index == 0" in migration.text


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
    assert finding.outcome is Outcome.WARNED


_STEP = """
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)
with strategy.scope():
    w = tf.Variable(1.0)
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = LOSS
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return loss
"""
_AVERAGE = "tf.nn.compute_average_loss((x - y) ** 2)"


@pytest.mark.parametrize(
    ("loss", "loop", "mended"),
    [
        (
            _AVERAGE,
            "for x, y in dataset:\n    total += train_step(x, y)",
            "for x, y in strategy.experimental_distribute_dataset(dataset):\n"
            '    total += strategy.reduce("SUM", '
            "strategy.run(train_step, args=(x, y)), axis=None)",
        ),
        # By how much the loss is to be divided, and of what the arguments are.
        ("model(x, y)", "for x, y in dataset:\n    train_step(x, y)", ""),
        (_AVERAGE, "for n in range(9):\n    train_step(a[n], b[n])", ""),
        (_AVERAGE, "train_step(xs, ys)", ""),
    ],
)
def test_a_step_called_outside(loss: str, loop: str, mended: str) -> None:
    migration = migrate_text(_STEP.replace("LOSS", loss) + loop + "\n")
    (finding,) = migration.findings
    assert finding.code == "D141"
    assert finding.outcome is (Outcome.REWRITTEN if mended else Outcome.WARNED)
    assert mended in migration.text


@pytest.mark.parametrize(
    ("parameters", "given", "mended"),
    [
        ("x, y", "(batch,)", "args=batch)"),
        ("batch", "(batch)", "(batch,)"),
        ("x, y, z", "(batch,)", ""),
        ("x", "(batch, 1)", ""),
        ("pair", "(x, y)", "args=((x, y),))"),
    ],
)
def test_arguments_that_do_not_fit(parameters: str, given: str, mended: str) -> None:
    loop = "x, y" if given == "(x, y)" else "batch"
    text = f"""
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys))
dataset = dataset.batch(8)
def step({parameters}):
    x, y = pair
for {loop} in strategy.experimental_distribute_dataset(dataset):
    strategy.run(step, args={given})
"""
    migration = migrate_text(text)
    (finding,) = migration.findings
    assert finding.code == "D142"
    assert finding.outcome is (Outcome.REWRITTEN if mended else Outcome.WARNED)
    assert mended in migration.text


def test_the_seed_of_a_worker_that_has_a_number() -> None:
    text = """
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
def dataset_fn(context):
    return tf.data.Dataset.range(64).shuffle(64, seed=7).batch(8)
dataset = strategy.distribute_datasets_from_function(dataset_fn)
"""
    migration = migrate_text(text)
    assert [f.outcome for f in migration.findings] == [Outcome.REWRITTEN]
    assert "seed=7 + context.input_pipeline_id" in migration.text
    without = migrate_text(text.replace("fn(context)", "fn()"))
    assert [f.outcome for f in without.findings] == [Outcome.WARNED]


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("tf.data.Dataset.range(9).shuffle(9, seed=3)", True),
        ("tf.data.Dataset.range(9).shuffle(9, seed=FLAGS.task_index)", False),
        ("tf.data.Dataset.range(9).shard(2, FLAGS.task_index).shuffle(9, 3)", False),
        ("np.random.RandomState(3).permutation(9)", False),
        ("np.random.permutation(9)", True),
    ],
)
def test_one_seed_in_every_process(order: str, told: bool) -> None:
    """A program of TensorFlow 1 is migrated as it is, and told."""
    old = "rng = np.random.RandomState(FLAGS.task_index)"
    program = (HERE / "supervised_loop.py").read_text()
    assert program.count(old) == 1
    new = f"np.random.seed(1)\n        order = {order}\n        {old}"
    found = [f for f in migrate_text(program.replace(old, new)).findings]
    outcomes = [f.outcome for f in found if f.code == "D143"]
    assert outcomes == ([Outcome.KEPT] if told else [])


@pytest.mark.parametrize(
    ("wanted", "told"),
    [("3", True), ("2", False), ("n * 2", True), ("n", False), ("n - 1", False)],
)
def test_more_gradients_than_workers(wanted: str, told: bool) -> None:
    total = "n" if "n" in wanted else "2"
    text = f"""
import tensorflow as tf
opt = tf.train.SyncReplicasOptimizer(opt, {wanted}, total_num_replicas={total})
"""
    codes = {f.code for f in migrate_text(text).findings}
    assert ("D145" in codes) == told


def test_a_cluster_without_a_server() -> None:
    program = (PROGRAMS / "no_server.py").read_text()
    start = program.index("    server = ")
    end = program.index("    with tf.device")
    (finding,) = [
        f
        for f in migrate_text(program[:start] + program[end:]).findings
        if f.code == "D144"
    ]
    assert finding.outcome is Outcome.WARNED and "server.target" in finding.recipe


def test_servers_that_workers_wait_for() -> None:
    text = """
import json, os
import tensorflow as tf
os.environ["TF_CONFIG"] = json.dumps({
    "cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]},
    "task": {"type": "worker", "index": 0}})
strategy = tf.distribute.MultiWorkerMirroredStrategy()
"""
    migration = migrate_text(text)
    assert [f.outcome for f in migration.findings] == [Outcome.REWRITTEN]
    assert '"cluster": {"worker": ["a:1", "b:1"]}' in migration.text
    of_ps = migrate_text(text.replace('"type": "worker"', '"type": "ps"'))
    assert [f.outcome for f in of_ps.findings] == [Outcome.WARNED]


@pytest.mark.parametrize(
    "said",
    [
        '"""Asynchronous training with two replicas."""',
        "# Train asynchronously\n# on two GPUs.",
        "async_training_strategy = None",
        'cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})',
    ],
)
def test_what_is_said_of_mirrored_replicas(said: str) -> None:
    text = f"import tensorflow as tf\n{said}\ns = tf.distribute.MirroredStrategy()\n"
    (finding,) = migrate_text(text).findings
    assert finding.code == "D140"
    named = (
        "ParameterServerStrategy" if "Spec" in said else "--strategy parameter-server"
    )
    assert named in finding.recipe


@pytest.mark.parametrize(
    ("takes", "given", "fixed"),
    [
        ("batch", "batch", "(batch,)"),
        ("x, y", "(batch,)", "batch"),
        ("x, y", "batch", None),
        ("batch", "(batch,)", None),
    ],
)
def test_a_batch_that_is_handed_on(takes: str, given: str, fixed: str | None) -> None:
    text = f"""\
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)
dataset = strategy.experimental_distribute_dataset(dataset)
def step({takes}):
    pass
@tf.function
def distributed_step(batch):
    strategy.run(step, args={given})
for batch in dataset:
    distributed_step(batch)
"""
    migration = migrate_text(text)
    assert ("D142" in {f.code for f in migration.findings}) == (fixed is not None)
    assert f"strategy.run(step, args={fixed or given})" in migration.text


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("len(worker_hosts) + 1", True),
        ("3", True),
        ("2 * len(worker_hosts)", True),
        ("len(worker_hosts)", False),
        ("2", False),
    ],
)
def test_workers_counted_by_len(wanted: str, told: bool) -> None:
    text = f"""\
import tensorflow as tf
worker_hosts = ["a:1", "b:1"]
cluster = tf.train.ClusterSpec({{"ps": ["c:1"], "worker": worker_hosts}})
opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate={wanted})
"""
    assert ("D145" in {f.code for f in migrate_text(text).findings}) == told


@pytest.mark.parametrize(
    ("spec", "mended"),
    [
        ('spec = dict(ps=["c:1"], worker="a:1,b:1")', 'worker=["a:1", "b:1"])'),
        (
            'spec = {"ps": ["c:1"]}\nspec["worker"] = ["a:1,b:1"]',
            'spec["worker"] = ["a:1", "b:1"]',
        ),
        (
            'spec = {"ps": ["c:1"], "worker": [FLAGS.hosts]}',
            '"worker": FLAGS.hosts.split(",")}',
        ),
        (
            'hosts = FLAGS.hosts\nspec = {"ps": ["c:1"], "worker": hosts}',
            '"worker": hosts.split(",")}',
        ),
        ('spec = {"ps": ["c:1"], "worker": [FLAGS.host]}', None),
        # Of a flag whose name alone says that they are several.
        ('spec = {"worker": [FLAGS.ps_hosts]}', 'FLAGS.ps_hosts.split(",")'),
        ('ps = [FLAGS.ps_hosts]\nspec = {"ps": ps}', '.split(",")'),
        ('spec = {"ps": ["c:1"], "worker": [FLAGS.ghosts]}', None),
        ('spec = {"ps": ["c:1"], "worker": [FLAGS.n_hosts]}', None),
        ('spec = {"ps": ["c:1"], "worker": [FLAGS.one_of_hosts]}', None),
        (
            "spec = {}\ndef of(*hosts):\n    spec = {'ps': hosts}\n"
            "    return tf.train.ClusterSpec(spec)",
            None,
        ),
    ],
)
def test_hosts_in_one_string_elsewhere(spec: str, mended: str | None) -> None:
    text = f"""\
import tensorflow as tf
tf.app.flags.DEFINE_string("hosts", "", "Comma-separated list of hosts.")
tf.app.flags.DEFINE_string("host", "", "The host.")
tf.app.flags.DEFINE_string("ps_hosts", "", "")
tf.app.flags.DEFINE_string("ghosts", "", "")
tf.app.flags.DEFINE_string("one_of_hosts", "a:1", "")
tf.app.flags.DEFINE_integer("n_hosts", 1, "")
FLAGS = tf.app.flags.FLAGS
{spec}
cluster = tf.train.ClusterSpec(spec)
"""
    migration = migrate_text(text)
    assert ("D101" in {f.code for f in migration.findings}) == (mended is not None)
    assert mended is None or mended in migration.text


def test_initial_values_by_the_only_task_of_each_job() -> None:
    """`if task_index == 0` would hold in both jobs."""
    program = (HERE / "plain_server_session.py").read_text()
    start = program.index("        if is_chief:\n            sess.run(init_op)")
    end = program.index("        step = 0\n")
    naive = program[:start] + "        sess.run(init_op)\n" + program[end:]
    given = "task_index=FLAGS.task_index"
    assert naive.count(given) == 1
    found = migrate_text(naive.replace(given, "task_index=0")).findings
    (finding,) = [f for f in found if f.code == "D112"]
    assert finding.recipe.startswith('Put the tasks that train into one job, "worker"')
