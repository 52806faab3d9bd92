"""Codes E1xx: Estimators."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "E101",
        "Estimator",
        "The name of tf.estimator, or the hook of tf.train, is one of the emitted module "
        "`estimator_loop`, which trains, evaluates, predicts and exports as TF1 did: the "
        "same steps, checkpoints, summaries and arguments. The strategy is chosen at run "
        "time from the TF_CONFIG that TF1 read.",
        "estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig())",
        "estimator = estimator_loop.Estimator(model_fn, config=estimator_loop.RunConfig())",
        promise="The same losses, metrics and predictions from the same checkpoint; an old "
        "model_dir is continued, and TF1 can read what is saved.",
    ),
    Code(
        "E102",
        "builds the graph of a model_fn",
        "A model_fn, what it calls, and hooks still build a graph: TensorFlow traces them. "
        "TF1 functions that need a graph keep their meaning there under tf.compat.v1.",
        'w = tf.get_variable("w", [2, 3])',
        'w = tf.compat.v1.get_variable("w", [2, 3])',
    ),
    Code(
        "E103",
        "layer of a model_fn",
        "tf.layers as Keras 2 keeps them: same names, collections and defaults. The "
        "emitted module imports them from tf_keras.",
        "net = tf.layers.dense(net, 10)",
        "net = estimator_loop.layers.dense(net, 10)",
    ),
    Code(
        "E104",
        "iterator of an input_fn",
        "An input_fn that takes a batch from an iterator is run as a function of the "
        "dataset's elements; what it does with the batch becomes a map of the dataset.",
        "features, labels = dataset.make_one_shot_iterator().get_next()",
        "features, labels = estimator_loop.one_shot_iterator(dataset).get_next()",
    ),
    Code(
        "E105",
        "dimension of a shape",
        "An item of a shape was a Dimension with a value; in TF2 it is that value.",
        "width = x.get_shape()[1].value",
        "width = x.get_shape()[1]",
    ),
    Code(
        "E106",
        "streaming metric",
        "tf.metrics, in the graph of a model_fn, with TF1's totals. In evaluation the same. "
        "In training TF1 updated it only in the steps whose summary was written, as it ran "
        "nothing that nobody had asked for; here every batch is counted.",
        "accuracy = tf.metrics.accuracy(labels, classes)",
        "accuracy = tf.compat.v1.metrics.accuracy(labels, classes)",
    ),
    Code(
        "E107",
        "ready-made Estimator",
        "A linear model, a network, or both, of the emitted module `canned_estimators`, with "
        "TF1's defaults: the loss of a batch is the sum over its examples, Ftrl trains the "
        "linear part and Adagrad the network, at TF1's learning rates. (TensorFlow 2's own "
        "ready-made Estimators took the mean.)",
        "model = tf.estimator.LinearClassifier(columns)",
        "model = canned_estimators.LinearClassifier(columns)",
        promise="The same losses, metrics, predictions and signatures from the same "
        "checkpoint; variables and slots keep their names, so an old model_dir is continued.",
    ),
    Code(
        "E108",
        "mode",
        "tf.estimator.ModeKeys are three strings. A module that takes nothing else of "
        "tf.estimator compares with them as they are.",
        "training = mode == tf.estimator.ModeKeys.TRAIN",
        'training = mode == "train"',
    ),
    Code(
        "E110",
        "boosted trees",
        "TensorFlow 2.16 and later have no ready-made Estimators, and of boosted trees this "
        "version writes none.",
    ),
    Code(
        "E111",
        "TPU",
        "Of TPUs a TPUEstimator and its CrossShardOptimizer are covered (E156). Other TPU "
        "functions, and host_call, are not.",
    ),
    Code(
        "E112",
        "contrib.learn",
        "contrib.learn's own Estimators are older than tf.estimator.",
    ),
    Code(
        "E113",
        "averages that never moved",
        "In TF1 batch normalisation updated its moving averages only where the training "
        "operation depended on tf.GraphKeys.UPDATE_OPS. Here nothing does, or only one branch "
        "of a condition, or another model_fn; evaluation used the initial averages, which TensorFlow 2 would "
        "not reproduce. So it is with a network's updates that are taken out of their list where "
        "it is not seen that all of them are run.",
    ),
    Code(
        "E114",
        "fed input",
        "A placeholder where no serving input is made. An input_fn runs once, and nothing "
        "feeds it.",
    ),
    Code(
        "E116",
        "ready-made Estimator of TensorFlow 2",
        "TensorFlow 2 gave tf.estimator's ready-made models another meaning under the same "
        "name: their loss is the mean over a batch, and Keras optimizers train them. The "
        "program uses what only TensorFlow 2 has.",
    ),
    Code(
        "E117",
        "part of tf.estimator",
        "This part of tf.estimator is not covered yet.",
    ),
    Code(
        "E118",
        "hook that runs its session",
        "A hook of the program's own calls `session.run`. Training has step functions here, "
        "and no session: a hook sees what its before_run asks for in "
        "tf.train.SessionRunArgs, once in every step, or what it keeps itself.",
    ),
    Code(
        "E150",
        "array of a dataset",
        "An input_fn whose iterator a hook initialises with fed arrays: TF1 kept them out "
        "of its graph so. The dataset is made of the arrays; the placeholder's dtype and "
        "shape are theirs, as when they were fed.",
        "x_ = tf.placeholder(tf.float32, x.shape)",
        "x_ = estimator_loop.fed(x, tf.float32, x.shape)",
        promise="The same batches. The arrays are read when the input_fn is called, not "
        "when the session is made.",
    ),
    Code(
        "E151",
        "fed by a hook",
        "A hook of the program's own gives tf.train.SessionRunArgs a feed_dict. A step "
        "function takes its batch and nothing else.",
    ),
    Code(
        "E152",
        "variable that a hook sets",
        "A hook of the program's own gives a variable a value, by `load` or by running an "
        "assignment that its `begin` built. The hook's session assigns it; the next step "
        "finds it.",
        "self._rate.load(0.01, run_context.session)",
        "run_context.session.load(self._rate, 0.01)",
    ),
    Code(
        "E153",
        "Experiment",
        "contrib.learn's Experiment around a tf.estimator.Estimator, with `learn_runner.run` "
        "and contrib.learn's RunConfig: of the emitted module `estimator_experiments`. In a "
        "cluster, and where it exports, it stops with an error: use train_and_evaluate.",
        "learn_runner.run(experiment_fn, run_config=config)",
        "estimator_experiments.run(experiment_fn, run_config=config)",
        promise="The same training; the same metrics at its end.",
    ),
    Code(
        "E154",
        "update that a hook builds",
        "A hook's `begin` builds an operation that changes a variable. TF1 ran it only "
        "where the hook asked for it; traced, it would run in every step.",
    ),
    Code(
        "E155",
        "evaluation while training goes on",
        "InMemoryEvaluatorHook, of the emitted module `in_memory_evaluation`: it evaluates "
        "the variables that are being trained, as often as TF1's.",
        "hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, input_fn)",
        "hook = in_memory_evaluation.InMemoryEvaluatorHook(estimator, input_fn)",
        promise="The same metrics at the same steps.",
    ),
    Code(
        "E156",
        "TPUEstimator",
        "With use_tpu=False it works as TF1's did. With use_tpu=True it trains under "
        "tf.distribute.TPUStrategy, on the TPU of RunConfig's cluster or master: batch sizes "
        "in params are those TF1 gave on a TPU, and CrossShardOptimizer, of the emitted "
        "module `estimator_tpu`, takes the mean of all cores' gradients. It evaluates and "
        "predicts on the host. The step was proven on two parts of a CPU, and compiled by "
        "XLA; it was never run on a TPU, nor was the connection to one. Without a TPU "
        "use_tpu=True stops with an error.",
        "estimator = tf.contrib.tpu.TPUEstimator(model_fn, use_tpu=FLAGS.use_tpu)",
        "estimator = estimator_loop.tpu.TPUEstimator(model_fn, use_tpu=FLAGS.use_tpu)",
        promise="With use_tpu=False the same losses, metrics and variables. On a TPU, to "
        "rounding, the same updates from the same batches; not its random numbers.",
    ),
    Code(
        "E132",
        "variables that a hook reads",
        "A hook of the program's own reads variables, or the global step, by "
        "`session.run`: its session gives their present values.",
        "step = run_context.session.run(self._global_step)",
        "step = run_context.session.run(self._global_step)",
    ),
    Code(
        "E133",
        "early stopping",
        "A hook that ends a training when its evaluations get no better, or cross a "
        "threshold: of the emitted module `estimator_early_stopping`.",
        'hook = tf.contrib.estimator.stop_if_no_decrease_hook(estimator, "loss", 1000)',
        'hook = estimator_early_stopping.stop_if_no_decrease_hook(estimator, "loss", 1000)',
        promise="Training ends at the same step.",
    ),
    Code(
        "E134",
        "name of an operation",
        "The name of what computes a tensor or holds a variable: `v.op.name`. A variable "
        "of TensorFlow 2 has no operation; its name is the same.",
        "tf.summary.histogram(v.op.name, v)",
        "tf.compat.v1.summary.histogram(estimator_loop.op_name(v), v)",
    ),
    Code(
        "E130",
        "strategy of an Estimator",
        "A strategy for RunConfig(train_distribute=..., eval_distribute=...). In an Estimator "
        "every replica takes a batch of its own from input_fn. Devices that do not exist "
        "become parts of the CPU; ParameterServerStrategy and CollectiveAllReduceStrategy "
        "of contrib took the cluster from TF_CONFIG, as the emitted module does.",
        "strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)",
        "strategy = estimator_strategies.MirroredStrategy(num_gpus=2)",
        promise="The same losses, metrics and variables, step by step.",
    ),
    Code(
        "E131",
        "synchronous Estimator",
        "SyncReplicasOptimizer in a model_fn: each step applies the mean of all workers' "
        "gradients. Whether it is used is seen when the model_fn is called, so a flag may "
        "decide. TF_CONFIG stays as it is; its parameter servers are not needed, and end.",
        "optimizer = tf.train.SyncReplicasOptimizer(optimizer, workers)",
        "optimizer = synchronous_estimator.SyncReplicasOptimizer(optimizer, workers)",
        promise="The losses and variables that TF1 had where its workers kept pace. Another "
        "number of gradients to aggregate than there are workers stops with an error.",
    ),
    Code(
        "E160",
        "member of a class of Estimator",
        "A class that inherits from tf.estimator.Estimator has a method or attribute of a "
        "name that TensorFlow 1's Estimator had not, and the emitted one has: it would be "
        "called in place of the program's, or the program's in place of it.",
    ),
    Code(
        "E161",
        "operation of a Scaffold",
        "A Scaffold with an `init_op`, `ready_op`, `local_init_op` or `summary_op` of the "
        "program's own. TensorFlow 1 ran the first ones once, before training; traced, they "
        "would run in every step. Which summaries are written it chose by the last one: "
        "here all are.",
    ),
    Code(
        "E162",
        "initialisers of a Scaffold",
        "Variables and tables are initialised when they are made, and all summaries are "
        "written: what asks a Scaffold for this is left out.",
        "tf.train.Scaffold(\n"
        "    saver=saver, local_init_op=tf.group(tf.tables_initializer()))",
        "estimator_loop.Scaffold(saver=saver)",
    ),
)
