"""Codes E1xx: Estimators."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "E101",
        "tf.estimator, now from a module beside the program",
        "The name of `tf.estimator`, or the hook of `tf.train`, now comes from a module that the tool writes beside the program, such as `estimator_loop`. It trains, evaluates, predicts and exports as TensorFlow 1 did, with the same steps, checkpoints, summaries and arguments. It chooses the strategy at run time from `TF_CONFIG`, as TensorFlow 1 did. Ready-made Estimators (linear, DNN, or both) come from `canned_estimators`, with TensorFlow 1's defaults: the loss of a batch is the sum over its examples, Ftrl trains the linear part, and Adagrad trains the network, at TensorFlow 1's learning rates. If the `model_fn` has become a Keras model, the Estimator comes from `keras_estimator`, which makes the model under the strategy that `TF_CONFIG` asks for. `model_to_estimator` comes from `keras_model_estimator`, which works with copies of the compiled model. Training begins with the model's own weights. A seeded initializer draws other numbers than in TensorFlow 1. If the cluster has no parameter servers, the import of `keras_model_estimator` connects the workers.",
        why='TensorFlow 2.16 removed `tf.estimator`, and `tf.contrib` was removed before. The modules beside the program keep the same classes and arguments, so the program around the Estimator need not change. A `model_fn` still receives one of the strings "train", "eval" and "infer". TensorFlow 2 changed what ready-made Estimators compute, before it removed them: those of the same name took the mean of the loss.',
        before="estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig())",
        after="estimator = estimator_loop.Estimator(model_fn, config=estimator_loop.RunConfig())",
        promise="The program computes the same losses, metrics, predictions and signatures from the same checkpoint. Variables, slots, metrics and signatures keep their names. The program continues an old `model_dir`, and TensorFlow 1 can read what it saves. One thing differs: in a cluster, or if it exports a model, an `Experiment` of `tf.contrib.learn` stops with an error.",
    ),
    Code(
        "E102",
        "code that builds the graph of a model_fn",
        "A `model_fn`, the functions it calls, and hooks still build a graph, because TensorFlow traces them. Functions of TensorFlow 1 that need a graph stay there under `tf.compat.v1`, and so do the metrics of `tf.metrics`. Evaluation gives the same value of a metric. In training, a metric counts every batch.",
        why="TensorFlow traces the function, and while it traces, `tf.compat.v1` builds a graph as before. So the function can keep its TensorFlow 1 calls. TensorFlow 1 updated a training metric only in steps that wrote a summary, because nothing else asked for it.",
        before='w = tf.get_variable("w", [2, 3])',
        after='w = tf.compat.v1.get_variable("w", [2, 3])',
        promise="The function makes the same variables, under the same names, so an old `model_dir` can be continued. Losses are the same, and so are the metrics of evaluation. If a program assigns to a variable without a control dependency, the order of the code now decides; in TensorFlow 1 two runs could differ.",
    ),
    Code(
        "E105",
        "attribute that TensorFlow 2 lacks, replaced by an equivalent",
        "The program reads an attribute that TensorFlow 2's object does not have, and the tool writes what gives the same value. An item of a shape is now the number itself, so the tool removes `.value`. `output_shapes`, `output_types` and `output_classes` of a dataset become calls of functions, and so does `v.op.name` of a variable. In eager code, `dataset.make_one_shot_iterator()` becomes `iter(dataset)`.",
        why="In TensorFlow 1 an item of a shape was a `Dimension` object, and `.value` gave its number. In TensorFlow 2 it is already an integer, or `None`. A variable was made by an operation of the graph, and had that operation's name; now there is no operation. Datasets have lost these attributes, and iterators still have them. A program that reads a lost attribute ends with an `AttributeError`.",
        before="width = x.get_shape()[1].value",
        after="width = x.get_shape()[1]",
        promise="The value is the same.",
        refused_when="The tool does not know what the value is, such as a parameter that other files give. It may be a dimension or a dataset, and may be something else.",
        recipe="If the value is a dimension, write `tf.compat.dimension_value(...)`.",
    ),
    Code(
        "E114",
        "placeholder in an Estimator program",
        "The program has a placeholder outside of a serving input.",
        why="An Estimator calls its `input_fn` once, and the steps read what it returned. No `session.run` exists that could feed the placeholder.",
    ),
    Code(
        "E117",
        "part of tf.estimator that the tool does not support",
        "The tool does not cover this part of `tf.estimator`, `tf.contrib.learn` or `tf.contrib.tpu`. Examples are gradient boosted trees, an Estimator of `tf.contrib.learn`, `host_call`, and TPU functions other than `TPUEstimator` and its `CrossShardOptimizer`. Or the program uses a ready-made Estimator and also something that only TensorFlow 2 has. Or it gives an Estimator or a specification to a library that the tool has not read.",
        why="The modules that replace `tf.estimator` contain only what was compared with TensorFlow 1.15.5. This part was not, so the tool does not claim that it works the same. Boosted trees train in a different way than a network, and the `model_fn` of `tf.contrib.learn` has another signature. The name of a ready-made Estimator means another model in TensorFlow 2: its loss is the mean over a batch, and Keras optimizers train it.",
    ),
    Code(
        "E156",
        "TPUEstimator",
        "With `use_tpu=False` it works as before. With `use_tpu=True` it trains under `tf.distribute.TPUStrategy`, on the TPU of the `RunConfig`. Batch sizes in `params` are those of TensorFlow 1. `CrossShardOptimizer` takes the mean of all cores' gradients. It evaluates and predicts on the host. Without a TPU, `use_tpu=True` stops with an error.",
        why="The step was proved on two parts of a CPU and compiled by XLA. It was never run on a TPU, and the connection to one was never tried.",
        before="estimator = tf.contrib.tpu.TPUEstimator(model_fn, use_tpu=FLAGS.use_tpu)",
        after="estimator = estimator_loop.tpu.TPUEstimator(model_fn, use_tpu=FLAGS.use_tpu)",
        promise="With `use_tpu=False` the losses, metrics and variables are the same. On a TPU the same batches give the same updates up to rounding, but the random numbers differ.",
    ),
    Code(
        "E130",
        "distribution strategy of an Estimator",
        "The strategy of `RunConfig(train_distribute=..., eval_distribute=...)` now comes from `estimator_strategies`, a module that the tool writes beside the program. Each replica takes its own batch from the `input_fn`. `SyncReplicasOptimizer` in a `model_fn` comes from `synchronous_estimator`, and applies the mean of all workers' gradients in each step.",
        why="The strategies of `tf.contrib.distribute` worked like this. Those of TensorFlow 2 split a batch differently. TensorFlow 2 makes synchronous steps with an all-reduce between workers, without parameter servers.",
        before="strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)",
        after="strategy = estimator_strategies.MirroredStrategy(num_gpus=2)",
        promise="The losses, metrics and variables are the same in every step. Synchronous steps are those of a TensorFlow 1 cluster whose workers kept pace. Strategies of several workers take the cluster from `TF_CONFIG`, which stays as it is; synchronous training does not need its parameter servers, so they end at once. Devices that do not exist become parts of the CPU. If the number of gradients to aggregate is not the number of workers, the program stops with an error.",
    ),
)
