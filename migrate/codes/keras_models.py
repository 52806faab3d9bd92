"""Codes K1xx: Estimators that become Keras models."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "K101",
        "model_fn as a Keras model",
        "The model_fn becomes a class of tf_keras.Model: its layers are a functional "
        "model, and what it did by mode is in train_step, test_step and predict_step. The "
        "mode is gone. Model.fit, evaluate and predict know these methods, and so does "
        "the emitted module `keras_estimator`.",
        "def model_fn(features, labels, mode):\n"
        "    logits = tf.layers.dense(features['x'], 10)",
        "class EstimatorModel(tf_keras.Model):\n"
        "    def __init__(self, features):\n"
        '        logits = tf_keras.layers.Dense(10, name="dense")(features["x"])\n'
        "        super().__init__(inputs=features, outputs=logits)",
        promise="The same losses, metrics and predictions from the same checkpoint, and "
        "the same names in checkpoints and signatures.",
    ),
    Code(
        "K102",
        "layer of a Keras model",
        "A function of tf.layers is the Keras layer, applied where it stood. A layer with "
        "weights gets the name that TF1 gave it, so that checkpoints find them.",
        "net = tf.layers.dense(net, 10)",
        'net = tf_keras.layers.Dense(units=10, name="dense")(net)',
    ),
    Code(
        "K103",
        "metric of a Keras model",
        "An entry of eval_metric_ops is a Keras metric that counts the same. AUC, mean "
        "errors and the accuracy per class are the emitted module's: Keras's AUC has "
        "another value where a class has not come, and its mean errors weigh batches "
        "of other sizes alike where a row is one number.",
        'eval_metric_ops = {"accuracy": tf.metrics.accuracy(labels, classes)}',
        'self.accuracy = tf_keras.metrics.Accuracy(name="accuracy")',
    ),
    Code(
        "K104",
        "Estimator of a Keras model",
        "The emitted module's Estimator makes the Keras model under the strategy that "
        "TF_CONFIG asks for, and trains, evaluates, predicts and exports it as TF1 did: "
        "checkpoints, summaries, hooks, timeline and arguments are estimator_loop's.",
        "estimator = tf.estimator.Estimator(model_fn=model_fn, model_dir=directory)",
        "estimator = keras_estimator.Estimator(model=EstimatorModel, "
        "model_dir=directory)",
    ),
    Code(
        "K105",
        "collection that is the model's own",
        "Trainable variables, penalties of weights and the global step, which TF1 kept in "
        "collections of the graph, are attributes of the model.",
        "loss = tf.losses.get_total_loss()",
        "loss = tf.add_n([cross_entropy, *self.losses])",
    ),
    Code(
        "K110",
        "stays a model_fn",
        "This model_fn holds something of which no equal Keras model is known, and stays "
        "a function that TensorFlow traces: it runs on `estimator_loop` and computes what "
        "it did (E101, E102). `--estimators model_fn` leaves all as they are.",
        'metrics = {"in_two": tf.metrics.recall_at_k(labels, logits, 2)}',
        'metrics = {"in_two": tf.compat.v1.metrics.recall_at_k(labels, logits, 2)}',
    ),
    Code(
        "K111",
        "method as a part of a Keras model",
        "A model_fn that is a method becomes a class beside its object's class, and so do "
        "the methods that it calls: functions. What they read of the object, and "
        "`__init__` alone sets, they are given where the Estimator is made. A method "
        "whose object changes, or that a subclass overrides, stays one (K110).",
        "class Trainer:\n"
        "    def __init__(self, hidden):\n"
        "        self.hidden = hidden\n"
        "        self.estimator = tf.estimator.Estimator(self.model_fn)\n"
        "\n"
        "    def model_fn(self, features, labels, mode):\n"
        "        net = tf.layers.dense(features['x'], self.hidden)",
        "class Trainer:\n"
        "    def __init__(self, hidden):\n"
        "        self.hidden = hidden\n"
        "        self.estimator = keras_estimator.Estimator(\n"
        "            functools.partial(TrainerModel, hidden=self.hidden))\n"
        "\n"
        "class TrainerModel(tf_keras.Model):\n"
        "    def __init__(self, features, hidden):",
    ),
    Code(
        "K120",
        "function of another file's Keras model",
        "A function that makes layers for a model_fn of another file makes Keras layers, "
        "where it stands and under its name: the model calls it when it is made. What "
        "only told it whether it is training is gone, here and there. The files change "
        "together, or none: where a file that is not among them may call the function, the "
        "model_fn stays one (K110).",
        "def inference(images, is_training):\n"
        "    net = tf.layers.dense(images, 10)\n"
        "    return tf.layers.dropout(net, training=is_training)",
        "def inference(images):\n"
        '    net = tf_keras.layers.Dense(units=10, name="dense")(images)\n'
        "    return tf_keras.layers.Dropout(rate=0.5)(net)",
        promise="The same variables under the same names as where the model_fn called it.",
    ),
    Code(
        "K130",
        "hook as a callback",
        "A SessionRunHook that logs, times, counts, stops or saves is a callback of Keras, "
        "where all Estimators of its file train Keras models. Its methods are those of the "
        "modes in which it is called; the loss and other tensors that the step returns are "
        "in `logs`, under the names that it is given, the global step is the optimizer's. "
        "The Estimator calls it as TF1's session called the hook, and `Model.fit` knows it.",
        "class Stop(tf.train.SessionRunHook):\n"
        "    def before_run(self, run_context):\n"
        "        return tf.train.SessionRunArgs(self._loss)\n"
        "\n"
        "    def after_run(self, run_context, run_values):\n"
        "        if run_values.results < 0.1:\n"
        "            run_context.request_stop()",
        "class Stop(tf_keras.callbacks.Callback):\n"
        "    def on_train_batch_end(self, batch, logs=None):\n"
        "        if logs[self._loss] < 0.1:\n"
        "            self.model.stop_training = True",
        promise="Under the Estimator it sees the values that TF1's hook saw, as often and in "
        "the same order; where an error ends the training, the end is not called. `fit` "
        "gives scalars as Python's numbers.",
    ),
    Code(
        "K131",
        "stays a hook",
        "This SessionRunHook does something that a callback cannot, or is called where there "
        "is no Keras model. It stays a hook, of `estimator_loop`, and is called as in TF1.",
        "def before_run(self, run_context):\n"
        '    return tf.train.SessionRunArgs("dense/kernel:0")',
        "def before_run(self, run_context):\n"
        '    return estimator_loop.SessionRunArgs("dense/kernel:0")',
    ),
    Code(
        "K140",
        "variable of a Keras model",
        "A network with variables of tf.get_variable is a subclassed model: `__init__` "
        "makes the variables, by add_weight and under TF1's names, and the layers; `call` "
        "computes the rest. What it did in training alone is below `if training:`.",
        'w = tf.get_variable("w", [2, 3])\nlogits = tf.matmul(features["x"], w)',
        "def __init__(self):\n"
        '    self.w = self.add_weight("w", shape=[2, 3])\n'
        "\n"
        "def call(self, features, training=False):\n"
        '    return tf.matmul(features["x"], self.w)',
    ),
)
