"""Every public attribute of a TF1 object exists on what replaces it, or is refused.

The attributes are TensorFlow 1.15.5's own (`reference/object_attributes.json`).
"""

from __future__ import annotations

import json

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.rewriting import attributes
from migrate.tables import lost_attributes
from migrate.tables import replaced_objects as table
from reference import environment, object_attributes

ATTRIBUTES = json.loads(object_attributes.TABLE.read_text())

_HEAD = """\
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS

"""
_GRAPH = """\
  x = tf.placeholder(tf.float32, [None, 2])
  w = tf.Variable(tf.zeros([2, 1]), name="w")
  loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
"""
_CLUSTERED = f"""{_HEAD}
class Watching(tf.train.SessionRunHook):

  def __init__(self, loss):
    self._loss = loss

  def before_run(self, run_context):
    HOOK
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    AFTER


def main(_):
  cluster = tf.train.ClusterSpec({{"ps": ["a:1"], "worker": ["b:1", "c:1"]}})
  server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    step = tf.train.get_or_create_global_step()
{_GRAPH.replace("  ", "    ")}\
  saver = tf.train.Saver()
  scaffold = tf.train.Scaffold(saver=saver)
  writer = tf.summary.FileWriter("/tmp/logs")
  with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=FLAGS.task_index == 0,
      checkpoint_dir="/tmp/c", scaffold=scaffold, hooks=[HOOKS]) as sess:
    while not sess.should_stop():
      sess.run(train_op, feed_dict={{x: [[1.0, 2.0]]}})
      LOOP


if __name__ == "__main__":
  tf.app.run()
"""
_PLAIN = f"""{_HEAD}
def main(_):
  step = tf.train.get_or_create_global_step()
{_GRAPH}\
  saver = tf.train.Saver()
  writer = tf.summary.FileWriter("/tmp/logs")
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
      sess.run(train_op, feed_dict={{x: [[1.0, 2.0]]}})
      LOOP


if __name__ == "__main__":
  tf.app.run()
"""
_SUPERVISED = _CLUSTERED.replace(
    """  with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=FLAGS.task_index == 0,
      checkpoint_dir="/tmp/c", scaffold=scaffold, hooks=[HOOKS]) as sess:
    while not sess.should_stop():
""",
    """  sv = tf.train.Supervisor(
      is_chief=FLAGS.task_index == 0, logdir="/tmp/c", global_step=step)
  with sv.managed_session(server.target) as sess:
    while not sv.should_stop():
""",
)
_SAVER = "  saver = tf.train.Saver()\n"
_COORDINATED = _CLUSTERED.replace(_SAVER, f"  coord = tf.train.Coordinator()\n{_SAVER}")
_MINIMIZE = "tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)\n"
_SYNCHRONOUS = _CLUSTERED.replace(
    f"    train_op = {_MINIMIZE}",
    """    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
    train_op = optimizer.minimize(loss, global_step=step)
""",
).replace("[HOOKS]", "[optimizer.make_session_run_hook(FLAGS.task_index == 0)]")
_ONE_SHOT = _PLAIN.replace(
    "  x = tf.placeholder(tf.float32, [None, 2])\n",
    """  dataset = tf.data.Dataset.from_tensor_slices([[1.0, 2.0]]).repeat().batch(1)
  iterator = dataset.make_one_shot_iterator()
  x = iterator.get_next()
""",
).replace(", feed_dict={x: [[1.0, 2.0]]}", "")
_INITIALIZED = _ONE_SHOT.replace("make_one_shot", "make_initializable").replace(
    "    for _ in", "    sess.run(iterator.initializer)\n    for _ in"
)
_MANAGED = _PLAIN.replace(
    """  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
""",
    """  manager = tf.train.SessionManager()
  init = tf.global_variables_initializer()
  with manager.prepare_session("", init_op=init) as sess:
""",
)
_ESTIMATOR = f"""{_HEAD}
class Watching(tf.train.SessionRunHook):

  def before_run(self, run_context):
    HOOK

  def after_run(self, run_context, run_values):
    AFTER

  def after_create_session(self, session, coord):
    CREATED

  def end(self, session):
    END


def input_fn():
  return tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]], [[1.0]])).batch(1)


def model_fn(features, labels, mode):
  y = tf.layers.dense(features, 1)
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
  tf.estimator.Estimator(model_fn, "/tmp/m").train(input_fn, hooks=[Watching()])


if __name__ == "__main__":
  tf.app.run()
"""
_PREDICTING = """\
import tensorflow as tf

predict = tf.contrib.predictor.from_saved_model("/tmp/m")
print(predict({"x": [[1.0]]}))
LOOP
"""
_STRATEGIC = _ESTIMATOR.replace(
    """  tf.estimator.Estimator(model_fn, "/tmp/m").""",
    """  strategy = tf.contrib.distribute.ParameterServerStrategy()
  LOOP
  config = tf.estimator.RunConfig(train_distribute=strategy)
  tf.estimator.Estimator(model_fn, "/tmp/m", config).""",
)
_HEADED = _ESTIMATOR.replace(
    """  y = tf.layers.dense(features, 1)
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
""",
    """  head = tf.contrib.estimator.regression_head()
  LOOP
  return head.create_estimator_spec(
      features, mode, tf.layers.dense(features, 1), labels,
      optimizer=tf.train.GradientDescentOptimizer(0.1))
""",
)
_PLACES = ("HOOKS", "HOOK", "AFTER", "LOOP", "CREATED", "END")


def _program(template: str, place: str, statement: str) -> str:
    text = template.replace("[HOOKS]", "[Watching(loss)]" if place != "LOOP" else "[]")
    for one in _PLACES[1:]:
        text = text.replace(one, statement if one == place else "pass")
    if (
        place == "LOOP" and "estimator.Estimator(" not in template
    ):  # A program without a hook of its own.
        start, end = text.find("class Watching"), text.find("def main")
        text = text[:start] + text[end:] if start >= 0 else text
    return text


# TF1's class -> programs, where its object is asked, and how the program calls it.
_ASKED = {
    "tf.contrib.predictor.Predictor": [(_PREDICTING, "LOOP", "predict")],
    "tf.Variable": [(_PLAIN, "LOOP", "w")],
    "tf.data.Dataset": [(_ONE_SHOT, "LOOP", "dataset")],
    "tf.Session": [
        (_PLAIN, "LOOP", "sess"),
        (_ESTIMATOR, "HOOK", "run_context.session"),
    ],
    "tf.data.Iterator": [
        (_ONE_SHOT, "LOOP", "iterator"),
        (_INITIALIZED, "LOOP", "iterator"),
    ],
    "tf.summary.FileWriter": [(_CLUSTERED, "LOOP", "writer")],
    "tf.train.Coordinator": [
        (_COORDINATED, "LOOP", "coord"),
        (_ESTIMATOR, "CREATED", "coord"),
    ],
    "tf.train.MonitoredSession": [
        (_CLUSTERED, "LOOP", "sess"),
        (_ESTIMATOR, "CREATED", "session"),
        (_ESTIMATOR, "END", "session"),
    ],
    "tf.train.Saver": [(_CLUSTERED, "LOOP", "saver")],
    "tf.train.Scaffold": [(_CLUSTERED, "LOOP", "scaffold")],
    "tf.train.Server": [(_CLUSTERED, "LOOP", "server")],
    "tf.train.SessionManager": [(_MANAGED, "LOOP", "manager")],
    "tf.train.SessionRunContext": [
        (_CLUSTERED, "HOOK", "run_context"),
        (_ESTIMATOR, "HOOK", "run_context"),
    ],
    "tf.train.SessionRunValues": [
        (_CLUSTERED, "AFTER", "run_values"),
        (_ESTIMATOR, "AFTER", "run_values"),
    ],
    "tf.train.Supervisor": [(_SUPERVISED, "LOOP", "sv")],
    "tf.train.SyncReplicasOptimizer": [(_SYNCHRONOUS, "LOOP", "optimizer")],
}
# Those for which a result has no object: who asks for more of them is refused somewhere.
_GONE = ("tf.train.SessionManager", "tf.train.Supervisor")
# TensorFlow 2's own objects, whose attributes nobody lists but TensorFlow.
_KEPT = (
    *("tf.Variable", "tf.data.Dataset", "tf.data.Iterator"),
    *("tf.train.Server", "tf.train.SyncReplicasOptimizer"),
)
_WAYS = [(name, i) for name, ways in _ASKED.items() for i in range(len(ways))]
_CASES = [(name, i, a) for name, i in _WAYS for a in ATTRIBUTES[name]]


def _outcome(text: str, line: str) -> str:
    """ "refused" at the line, "there" where what is asked exists, else what is wrong."""
    found = migrate_text(text)
    number = next(i for i, one in enumerate(text.splitlines(), 1) if line in one)
    refused = [
        f for f in found.findings if f.outcome is Outcome.REFUSED and f.code != "N100"
    ]
    if any(f.line == number for f in refused):
        return "refused"
    if refused:
        return f"refused elsewhere: {[(f.line, f.code, f.reason) for f in refused][:3]}"
    failed = [f.code for f in found.findings if f.outcome is Outcome.FAILED]
    return f"failed: {failed}" if failed else "there"


def test_every_class_of_the_table_is_asked() -> None:
    assert {*_ASKED} == {*object_attributes.REPLACED}
    assert {*ATTRIBUTES} == {*object_attributes.CLASSES}


@pytest.mark.parametrize(("name", "way", "attribute"), _CASES)
def test_an_attribute_is_there_or_refused_at_its_line(
    name: str, way: int, attribute: str
) -> None:
    template, place, spelled = _ASKED[name][way]
    line = f"print({spelled}.{attribute})"
    outcome = _outcome(_program(template, place, line), line)
    if name in _GONE:
        assert outcome.split(" ")[0] in ("refused", "there")
    else:
        assert outcome in ("refused", "there")


@pytest.mark.parametrize(("name", "way"), _WAYS)
def test_the_programs_migrate_without_the_attribute(name: str, way: int) -> None:
    """The control: nothing else in them is refused; and an unknown one is."""
    template, place, spelled = _ASKED[name][way]
    assert _outcome(_program(template, place, "pass"), "pass") == "there"
    if name in _KEPT or (name, way) == ("tf.train.Coordinator", 0):
        return
    line = f"print({spelled}.nonsense)"
    assert _outcome(_program(template, place, line), line).startswith("refused")


@pytest.mark.parametrize(
    "statement",
    [
        "writer.add_graph(sess.graph)",
        'other = tf.summary.FileWriter("/tmp/other", sess.graph)',
        'other = tf.summary.FileWriter("/tmp/other", graph=tf.get_default_graph())',
    ],
)
def test_a_graph_that_is_not_written_is_told(statement: str) -> None:
    text = _program(_CLUSTERED, "LOOP", statement)
    found = migrate_text(text)
    number = next(i for i, t in enumerate(text.splitlines(), 1) if statement in t)
    told = [f for f in found.findings if "the graph is not written" in f.reason]
    assert [(f.line, f.code, f.noted) for f in told] == [(number, "M110", True)]
    assert "sess.graph" not in found.text and "get_default_graph" not in found.text


def test_what_a_result_has_is_known() -> None:
    saver = attributes.list_offered_attributes("training_session", "Saver")
    assert saver is not None and {"save", "restore", "last_checkpoints"} <= saver
    assert "export_meta_graph" not in saver
    # What derives from TensorFlow's own classes is not judged.
    assert (
        attributes.list_offered_attributes("estimator_loop", "SessionRunHook") is None
    )
    # It has the attributes that it is given.
    assert attributes.list_offered_attributes("contrib_hparams", "HParams") is None


@pytest.mark.parametrize(
    ("template", "place", "asked", "recipe"),
    [
        (_CLUSTERED, "LOOP", "saver.export_meta_graph", "it is about the graph"),
        (_PREDICTING, "LOOP", "predict.session", "it is about the graph"),
        (_ESTIMATOR, "CREATED", "coord.join", "call run_context.request_stop()"),
        (_STRATEGIC, "LOOP", "strategy.scope", "the Estimator that is given the"),
        (_HEADED, "LOOP", "head.loss_reduction", "compute in the program"),
    ],
)
def test_a_recipe_is_about_what_lacks_the_attribute(
    template: str, place: str, asked: str, recipe: str
) -> None:
    text = _program(template, place, f"print({asked})")
    (found,) = [f for f in migrate_text(text).findings if f.code == "S185"]
    assert recipe in found.recipe
    assert f"print({asked})" in text.splitlines()[found.line - 1]
    assert _outcome(_program(template, place, "pass"), "pass") == "there"


def test_what_is_missing_hides_no_other_refusal() -> None:
    text = (
        "import tensorflow as tf\n"
        "optimizer = tf.train.GradientDescentOptimizer(0.1)\n"
        "hook = optimizer.make_session_run_hook(True)\n"
        "table = tf.contrib.lookup.HashTable\n"
    )
    found = [f for f in migrate_text(text).findings if f.code != "N100"]
    assert [(f.code, f.line) for f in found] == [("S185", 3), ("T111", 4)]


_KEEPING = """\
import tensorflow as tf

class Model:
    def __init__(self, path):
        KEEP
    def run(self, x):
        print(self.p.session)
        return self.p({"x": x})

class Other(Model):
    def look(self):
        return self.p.graph

print(Model("/tmp/m").run([1.0]))
other = Other("/tmp/m")
print(other.p.fetch_tensors, other.p.graph)
"""
_PREDICTED = "self.p = tf.contrib.predictor.from_saved_model(path)"


@pytest.mark.parametrize(
    "keep",
    [
        _PREDICTED,
        f"self.p = None\n        {_PREDICTED}",
        # That is an attribute of another object.
        f"self.session = 3\n        {_PREDICTED}",
    ],
)
def test_what_an_attributes_object_lacks_is_told(keep: str) -> None:
    text = _KEEPING.replace("KEEP", keep)
    told = [f for f in migrate_text(text).findings if f.code == "S185"]
    assert [f.symbol for f in told] == [
        "self.p.session",
        "self.p.graph",
        "other.p.graph",
    ]


@pytest.mark.parametrize(
    "keep",
    [
        f"{_PREDICTED}\n        self.p = path",
        f"{_PREDICTED}\n        self.p, self.n = path",
        f"{_PREDICTED}\n        self.p.session = self.p.graph = 3",
    ],
)
def test_an_attribute_that_may_be_another_object_is_not_judged(keep: str) -> None:
    text = _KEEPING.replace("KEEP", keep)
    assert all(f.code != "S185" for f in migrate_text(text).findings)


def test_what_tensorflow_2s_own_objects_lack_is_known() -> None:
    import tensorflow as tf

    server = tf.distribute.Server.create_local_server()
    objects = {
        "tf.data.Iterator": (iter(tf.data.Dataset.range(3)), table.ITERATOR),
        "tf.train.Coordinator": (tf.train.Coordinator(), frozenset()),
        "tf.train.Server": (server, frozenset()),
        "tf.train.SyncReplicasOptimizer": (
            tf.compat.v1.train.GradientDescentOptimizer(0.1),
            table.OPTIMIZER,
        ),
    }
    for name, (value, lacking) in objects.items():
        absent = {a for a in ATTRIBUTES[name] if not hasattr(value, a)}
        assert absent <= lacking, name
        assert not any(hasattr(value, a) for a in lacking), name


# What nobody asks for, and 1.15.5 itself calls "for internal use".
_INTERNAL = {"tf.Operation": {"traceback_with_start_lines"}}


@pytest.mark.parametrize("name", object_attributes.KEPT)
def test_what_stays_has_all_attributes(name: str) -> None:
    import tensorflow as tf

    value = tf
    for part in name.replace("tf.train", "tf.compat.v1.train").split(".")[1:]:
        value = getattr(value, part)
    # A tensor's class does not list what its two kinds, eager and of a graph, have.
    there = dir(tf.constant(1.0) if value is tf.Tensor else value)
    assert {*ATTRIBUTES[name]} - {*there} == _INTERNAL.get(name, set())


def test_what_datasets_lack_is_known() -> None:
    import tensorflow as tf

    dataset = tf.data.Dataset.range(3)
    absent = {a for a in ATTRIBUTES["tf.data.Dataset"] if not hasattr(dataset, a)}
    known = lost_attributes.LOST[lost_attributes.DATASET]
    assert absent == {
        *lost_attributes.OF_ELEMENTS,
        *known,
        *lost_attributes.ELSEWHERE,
    }


def test_what_variables_lack_is_known() -> None:
    """They have the names of all; what they refuse outside of a graph is known."""
    import tensorflow as tf

    given = {"assign": 1, "assign_add": 1, "assign_sub": 1, "load": 1}
    needs = {"batch_scatter_update", "count_up_to", "from_proto", "gather_nd"}
    lost = set()
    for name in ATTRIBUTES["tf.Variable"]:
        variable = tf.Variable(1.0)
        try:
            value = getattr(variable, name)
            if callable(value) and name not in needs and "scatter" not in name:
                value(*([1.0] * given.get(name, 0)))
        except TypeError:
            assert name in {"set_shape", "sparse_read"}, name
        except (AttributeError, RuntimeError, NotImplementedError):
            lost.add(name)
    assert lost == {*lost_attributes.LOST[lost_attributes.VARIABLE]}


def test_a_name_of_several_objects_is_not_judged() -> None:
    text = "import training_session\ns = training_session.Saver()\nprint(s.build)\n"
    assert list(attributes.find_missing_attributes(text)) == [
        ("s.build", "training_session.Saver")
    ]
    assert not list(
        attributes.find_missing_attributes(text.replace("print", "s = other()\nprint"))
    )
    assert not list(
        attributes.find_missing_attributes(text.replace("print", "s.build = 1\nprint"))
    )


def test_the_table_is_tensorflow_1s() -> None:
    python = environment.find_tf1()
    if python is None:
        pytest.skip("no TensorFlow 1.15.5 here")
    assert object_attributes.dumped(str(python)) == ATTRIBUTES
