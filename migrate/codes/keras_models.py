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
        noted=True,
    ),
    Code(
        "K180",
        "model_fn that is a Keras model now",
        "The file names a model_fn of another file, and is refused for something else of its "
        "own: it cannot run on TensorFlow 2 as it stands. The files that are migrated whole "
        "are not held back by it: there the model_fn is a class, and this file has to name "
        "that when it is mended by hand.",
        noted=True,
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
        "K121",
        "update of a function in a Keras model",
        "A function that makes an optimizer and returns its update is written where the "
        "model_fn called it: the optimizer is made with the model, the update is the end "
        "of train_step. The function stays, for who else calls it; it may be of another "
        "file of the tree.",
        "def create_optimizer(loss, rate):\n"
        "    optimizer = tf.train.AdamOptimizer(rate)\n"
        "    return optimizer.minimize(loss, tf.train.get_global_step())\n"
        "\n"
        "train_op = create_optimizer(loss, params['rate'])",
        "optimizer = tf.compat.v1.train.AdamOptimizer(params['rate'])\n"
        "self.compile(optimizer=optimizer)",
        promise="The same update: the function's statements, in their order.",
    ),
    Code(
        "K130",
        "hook as a callback",
        "A SessionRunHook that logs, times, counts, stops or saves is a callback of Keras, "
        "where all Estimators of its file, and of the files that make its objects, train "
        "Keras models. Its methods are those of the modes in which it is called; the loss and other tensors that the step returns are "
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
        noted=True,
    ),
    Code(
        "K132",
        "session of a loaded graph",
        "A session beside an Estimator that loads its graph - an exported model, a GraphDef, a "
        "meta graph - and makes none has a graph of its own. TensorFlow 2 loads and runs "
        "it as TensorFlow 1 did, by the names of tensorflow.compat.v1.",
        "with tf.Session(graph=tf.Graph()) as sess:\n"
        '    tf.saved_model.loader.load(sess, ["serve"], directory)\n'
        '    print(sess.run("y:0", {"x:0": batch}))',
        "with tf.compat.v1.Session(graph=tf.Graph()) as sess:\n"
        '    tf.compat.v1.saved_model.loader.load(sess, ["serve"], directory)\n'
        '    print(sess.run("y:0", {"x:0": batch}))',
        promise="The same graph runs, of models that TensorFlow 1 exported too.",
    ),
    Code(
        "K133",
        "optimizer whose update is not called",
        "A class that derives from an optimizer of tf.train and defines `_apply_dense`, or "
        "another method of TensorFlow 1's reference variables. TensorFlow 2's variables are "
        "resources: it calls `_resource_apply_dense` in its place, here that of the class "
        "above, so that the program would train otherwise without a word.",
        "class Doubled(tf.train.GradientDescentOptimizer):\n"
        "    def _apply_dense(self, grad, var):\n"
        "        return super(Doubled, self)._apply_dense(2.0 * grad, var)",
        "class Doubled(tf.compat.v1.train.GradientDescentOptimizer):\n"
        "    def _resource_apply_dense(self, grad, var):\n"
        "        return super()._resource_apply_dense(2.0 * grad, var)",
        refused_when="Always: what the method does with `var` is yours to say of a resource "
        "variable. A class that defines the newer method too is kept, and so is one whose "
        "older method only raises an error.",
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
    Code(
        "K165",
        "recurrent layer of Keras with TF1's defaults",
        "`tf.keras.layers.LSTM` and `GRU` of TensorFlow 1 have gates of `hard_sigmoid`, and "
        "its GRU resets before the product. Keras 2's of the same name have `sigmoid` and "
        "reset after it: left to their defaults, they compute another function.",
        "x = tf.keras.layers.GRU(8)(x)",
        'x = tf_keras.layers.GRU(8, recurrent_activation="hard_sigmoid", reset_after=False)(x)',
        refused_when="Where one of these arguments is left out. Give it, and mind the names "
        "of variables: `gru/kernel` in TF1's checkpoints is `gru/gru_cell/kernel` now.",
    ),
    Code(
        "K166",
        "Keras network that TensorFlow 2 makes otherwise",
        "In a model_fn a `tf.keras.Sequential`, a model of `tf.keras.Input`, or a class of "
        "`tf.keras.Model` is made and called as in TF1, with TF1's names. Not so a network "
        "of `tf.keras.applications`, whose layers are others in TensorFlow 2, and one of "
        "`Input(tensor=...)`, whose outputs are no tensors there.",
        "inputs = tf.keras.Input(tensor=image)\n"
        "logits = tf.keras.Model(inputs, tf.keras.layers.Dense(8)(inputs)).output",
        "inputs = tf_keras.Input(shape=[28])\n"
        "logits = tf_keras.Model(inputs, tf_keras.layers.Dense(8)(inputs))(image)",
        refused_when="Always in a program with Estimators, and never where the model is "
        "given to `model_to_estimator`.",
    ),
    Code(
        "K170",
        "device of a Keras model",
        "A model_fn that becomes a Keras model placed layers on the CPU or the first GPU of "
        "its own process. Its strategy places variables, and the steps' operations, so "
        "that the `with` is gone; tf.device of other devices leaves it a model_fn (K110).",
        'with tf.device("/cpu:0"):\n    table = tf.get_variable("table", [9, 4])',
        'table = self.add_weight("table", shape=[9, 4])',
    ),
    Code(
        "K185",
        "lookup table of a Keras model",
        "A table between words and numbers that a model_fn made of plain values is made "
        "once, with the model, and its steps look up in it: also a table that only one mode "
        "had, so that its file has to be there in all. What is exported has the file.",
        'classes = tf.contrib.lookup.index_table_from_file(params["classes"])\n'
        "targets = classes.lookup(labels)",
        'self.classes = contrib_lookup.index_table_from_file(params["classes"])\n'
        "\n"
        "targets = self.classes.lookup(labels)",
        noted=True,
    ),
)
