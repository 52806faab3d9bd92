"""Programs of an Estimator. Code -> what the followed program had instead."""

from __future__ import annotations

import pathlib

from tests.rules.followed.bases import MODEL_FN, PLAIN, change

HOOK = change(
    MODEL_FN,
    (
        "estimator = tf",
        "class Hook(tf.train.SessionRunHook):\n"
        "    def before_run(self, run_context):\n"
        "        return tf.train.SessionRunArgs(tf.train.get_global_step())\n\n"
        "    def after_run(self, run_context, run_values):\n"
        "        self.seen = run_values.results\n\n\nestimator = tf",
    ),
    ("steps=2", "steps=2, hooks=[Hook()]"),
)
_TOLD = (pathlib.Path(__file__).parents[1] / "D169.py").read_text("utf-8")
_ROWS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "D169": (
        change(
            _TOLD,
            ("def input_fn():", "def input_fn(config):"),
            ('task.get("index", 0)', "config.global_id_in_cluster"),
        ),
        (("config.global_id_in_cluster", 'task.get("index", 0)'),),
    ),
    "N101_estimator": (
        MODEL_FN,
        (
            (
                MODEL_FN,
                PLAIN + "e = tf.estimator.Estimator("
                "lambda features, mode: tf.estimator.EstimatorSpec(mode))\n",
            ),
        ),
    ),
    "E117_contrib_learn": (
        MODEL_FN,
        (("tf.estimator.Estimator(", "tf.contrib.learn.Estimator("),),
    ),
    "L123_estimator": (
        change(
            MODEL_FN,
            (
                "    logits =",
                "    h = tf.layers.batch_normalization(h, training=True)\n    logits =",
            ),
            (
                "    train_op = ",
                "    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n        train_op = ",
            ),
        ),
        (
            (
                "    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n        train_op = ",
                "    train_op = ",
            ),
        ),
    ),
    "E114": (
        MODEL_FN,
        (("np.ones([8, 2], np.float32)", "tf.placeholder(tf.float32, [8, 2])"),),
    ),
    "H122_runs_session": (
        HOOK,
        (
            (
                "    def after_run",
                "    def after_create_session(self, session, coord):\n        self.start = session.run(self.x)\n\n    def after_run",
            ),
        ),
    ),
    "H122_feeds": (
        HOOK,
        (
            (
                "SessionRunArgs(tf.train.get_global_step())",
                "SessionRunArgs(self.step, feed_dict={self.rate: 0.1})",
            ),
        ),
    ),
    "H122_builds": (
        HOOK,
        (
            (
                "    def before_run",
                "    def begin(self):\n        self.count = self.variable.assign_add(1)\n\n    def before_run",
            ),
        ),
    ),
    "N120_operation": (
        MODEL_FN,
        (
            (
                "loss=loss, train_op=train_op)",
                "loss=loss, train_op=train_op, scaffold=scaffold)",
            ),
            (
                "    return tf.estimator.EstimatorSpec(mode, loss",
                "    bias = tf.trainable_variables()[1]\n    scaffold = tf.train.Scaffold(init_op=bias.assign([1.0] * 4))\n    return tf.estimator.EstimatorSpec(mode, loss",
            ),
        ),
    ),
    "N111_method": (
        change(
            MODEL_FN,
            (
                "estimator = tf.estimator.Estimator(model_fn, ",
                "class Classifier(tf.estimator.Estimator):\n    def __init__(self, model_dir=None):\n        super(Classifier, self).__init__(model_fn, model_dir)\n\n    def _lines(self, path):\n        return tf.data.TextLineDataset(path)\n\n\nestimator = Classifier(",
            ),
        ),
        (("def _lines", "def _input"),),
    ),
    "K166_recurrent": (
        change(
            MODEL_FN,
            (
                'tf.layers.dense(features["x"], 4, tf.nn.relu)',
                'tf.keras.layers.GRU(4, recurrent_activation="hard_sigmoid", reset_after=False)(features["x"][:, None])',
            ),
        ),
        ((', recurrent_activation="hard_sigmoid", reset_after=False', ""),),
    ),
    "K166": (
        change(
            MODEL_FN,
            (
                'h = tf.layers.dense(features["x"], 4, tf.nn.relu)',
                'image = tf.keras.Input([2])\n    h = tf.keras.Model(image, tf.keras.layers.Dense(4)(image))(features["x"])',
            ),
        ),
        (("tf.keras.Input([2])", 'tf.keras.Input(tensor=features["x"])'),),
    ),
}
_ASKED = change(MODEL_FN, ("steps=2", "steps=2, hooks=[hook]"))
_HOOKS = {
    "T111_evaluator": (
        "tf.estimator.experimental.InMemoryEvaluatorHook(estimator, input_fn)",
        "tf.contrib.estimator.InMemoryEvaluatorHook(estimator, input_fn)",
    ),
    "T111_profiler": (
        "tf.train.ProfilerHook(save_steps=10)",
        "tf.contrib.hooks.ProfilerHook(save_steps=10)",
    ),
    "E117_saver": (
        'tf.train.CheckpointSaverHook("/tmp/model", save_steps=3)',
        'tf.contrib.tpu.AsyncCheckpointSaverHook("/tmp/model", save_steps=3)',
    ),
    "E117_waits": (
        "tf.train.StopAtStepHook(last_step=5)",
        "tf.estimator.experimental.make_stop_at_checkpoint_step_hook(estimator, 5)",
    ),
}
_ROWS |= {
    name: (
        change(_ASKED, ("estimator.train", f"hook = {after}\nestimator.train")),
        ((after, before),),
    )
    for name, (after, before) in _HOOKS.items()
}
FOLLOWED = {
    code: (change(after, *changes), after) for code, (after, changes) in _ROWS.items()
}
