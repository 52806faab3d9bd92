"""What the pages of programs say about a program, if they do not use its docstring.

A recording of TensorFlow 1.15.5 holds for one text of its program, with the docstring. So a
docstring that needs two readings stays in the program, and its title stands here.
"""

from __future__ import annotations

# Path below tests/programs -> title.
TITLES = {
    "alone/supervisor_loops.py": "A Supervisor calls functions at fixed intervals beside "
    "the training; they fetch, log and write",
    "alone/supervisor_of_graph.py": "An object builds the graph, and a function gets its "
    "Supervisor and uses its step, threads and errors",
    "alone/supervisor_of_self.py": "A trainer makes a Supervisor in its constructor and "
    "uses it in another method",
    "alone/supervisor_assigned.py": "contrib's assign_from_checkpoint_fn makes the "
    "Supervisor's init_fn, which restores a pretrained network",
    "alone/supervisor_makes_start.py": "A function makes the Supervisor's init_fn, or "
    "returns None; init_fn restores a pretrained network",
    "alone/queue_tfrecords.py": "One helper reads TFRecords, another batches them; the "
    "epochs end with OutOfRangeError",
    "alone/queue_csv_lines.py": "The module reads lines of CSV files without a helper: "
    "header lines skipped, a smaller last batch",
    "alone/queue_fixed_length.py": "Records of fixed length that hold images; distorted "
    "images; a helper that batches in two branches",
    "alone/queue_slices.py": "Slices of arrays in a seeded order for each epoch; batches "
    "that are dicts of tensors",
    "alone/towers_by_reuse.py": "Towers that share variables by reuse; the batch split by "
    "tf.split; a list of losses; float64",
    "alone/towers_comprehended.py": "A comprehension averages and clips the towers' "
    "gradients; the learning rate depends on the global step",
    "alone/towers_draw.py": "Each tower takes the next batch of one iterator, for two epochs",
    "alone/towers_gradients.py": "Towers of a GAN: tf.gradients and zip; three functions "
    "that average in different ways",
    "alone/towers_in_one.py": "Towers in one function: lists made in one statement, "
    "variables in the loop, the average without a function",
    "alone/towers_losses.py": "A list of the towers' losses; the program minimises their "
    "mean and a penalty, with two optimizers",
    "alone/towers_normalised.py": "Towers of a convolutional net; the first tower updates "
    "the averages of batch normalisation",
    "alone/towers_of_devices.py": "Towers over a list of devices, in a scope reused by its "
    "name; parts by tf.split; seeded batches",
    "alone/towers_of_parts.py": "Towers with parts of different size; their outputs are "
    "concatenated",
    "task_towers/client_splits.py": "A client outside of the cluster trains towers on the "
    "workers, with variables on a parameter server",
    "task_towers/gpus_of_workers.py": "A tower for each of two GPUs of every worker, or on "
    "its CPU if it has none",
    "task_towers/losses_added.py": "Workers without parameter servers: one optimizer "
    "minimises the sum of the towers' losses",
    "task_towers/monitored_chief.py": "The chief's monitored session: the sum of the "
    "towers' losses, clipped gradients",
    "task_towers/supervised_chief.py": "The chief's Supervisor: towers with batch "
    "normalisation; everything else is on a parameter server",
    "task_towers/towers_draw.py": "Each tower takes the next batch of one dataset; a flag "
    "names the host of every task",
    "alone/averages_of_losses.py": "Moving averages of losses, which the program prints, and "
    "of weights, which it fetches",
    "alone/averages_restored.py": "A trainer that keeps moving averages, and an evaluation "
    "that restores them",
    "alone/keras_session.py": "Keras layers and a layer class of the program in a plain "
    "session, with a saver",
    "half_migrated/workers_alone.py": "Workers without parameter servers; eager steps in a "
    "session that waits for a chief",
    "half_migrated/tape_in_loop.py": "The tape is in the loop; the server is tf.compat.v1's",
    "half_migrated/client.py": "A client outside of the cluster; a function makes the model",
    "half_migrated/stop_hook.py": "A loop that calls next() of an iterator; a hook ends the "
    "loop; checkpoints",
    "half_migrated/sum_clipped.py": "Workers without parameter servers: a loss that is a sum "
    "over the batch, clipped gradients, batches of seven",
    "half_migrated/penalised.py": "Workers without parameter servers: a loss that is a mean "
    "with a penalty on the weights; `from tensorflow import keras`",
    "half_migrated/shuffled.py": "Every worker shuffles by itself; the loop counts steps and "
    "logs losses",
    "half_migrated/metrics_servers.py": "The metrics of TensorFlow's quickstart: updated in "
    "the step, logged and reset in every epoch; a test step",
    "half_migrated/cut_by_hand.py": "Batches that are slices of arrays, which each worker "
    "shuffles",
    "half_migrated/minimized_together.py": "Workers without parameter servers; drawn row "
    "numbers select the batch, and minimize updates the weights",
    "half_migrated/train_on_batch.py": "train_on_batch of a compiled model with slices of "
    "arrays, in a cluster's session",
    "half_migrated/train_on_batch_together.py": "Workers without parameter servers; "
    "train_on_batch of a compiled model, whose results go into a list",
    "half_migrated/old_optimizer.py": "Workers without parameter servers; an optimizer of "
    "tf.compat.v1 minimises a lambda in the loop",
    "half_migrated/trainer_object.py": "A method is the step; another method computes its "
    "losses",
    "half_migrated/metrics_shards.py": "Two workers, each with its own shard and metrics; "
    "the learning rate is 0",
    "half_migrated/metrics_together.py": "Workers without parameter servers: metrics of "
    "batches of seven, which the workers share",
    "half_migrated/telling_loop.py": "A loop that counts, measures time and logs before, in "
    "and after its step",
    "half_migrated/flagged_step.py": "Workers without parameter servers: a flag chooses the "
    "loss, and the step prints when it is traced",
    "half_migrated/drawn.py": "Two workers that skip batches and add noise to the log by "
    "numbers of NumPy's random generators",
    "half_migrated/fit_servers.py": "model.fit in a session, with parameter servers; "
    "validation, evaluation and saving",
    "half_migrated/fit_workers.py": "Two workers fit on parameter servers, each with all of "
    "the data",
    "half_migrated/fit_together.py": "Workers without parameter servers: a fit beside a "
    "server, without a session; shuffled data, a callback that logs",
    "alone/own_server.py": "A process that is its own server, as in a first tutorial: sums "
    "of constants on devices, then a training",
    "alone/lazy_scopes.py": "Properties of a model build their part of the graph at the "
    "first read, in a scope of their name",
    "alone/lazy_by_mode.py": "A constructor that returns early for inference; properties "
    "that are built at the first read",
    "alone/trainer_in_one_line.py": "One statement makes and uses a trainer; its session is "
    "made first and entered later",
    "alone/trained_and_tested.py": "A model class for training and inference, and a function "
    "for each, with its own graph",
    "alone/trained_in_one_branch.py": "A function that trains in one branch and tests in the "
    "other; both use the same placeholders",
    "alone/graphs_with_names.py": "Two named graphs in one function, each with its own session",
    "alone/a_graph_per_rate.py": "A search for the learning rate: each round builds a graph "
    "and opens two sessions",
    "alone/sessions_of_methods.py": "The constructor of a classifier builds the graph; each "
    "of its methods opens a session",
    "alone/session_manager.py": "A SessionManager without a Supervisor: it initialises the "
    "variables, or restores a checkpoint",
    "alone/lazy_by_hand.py": "Properties that store what they built, without a decorator; a "
    "trainer that gets the model",
    "alone/trainer_given_session.py": "main() opens and initialises a session, and passes it "
    "to a trainer with the model",
    "alone/session_in_open_file.py": "A session inside the `with` block of a log file, which "
    "also contains the graph and the trainer",
    "alone/placeholders_of_module.py": "Placeholders of the module, and functions that read "
    "them and make the variables",
    "alone/saver_of_a_tuple.py": "A function that makes a layer also returns its variables; a "
    "saver saves only these",
    "alone/lists_after_minimize.py": "The program copies one network into another; it lists "
    "the variables of both after minimize",
    "alone/gradients_of_inputs.py": "Gradients with respect to feeds: of a critic by the "
    "actions, of a loss by the examples",
    "alone/towers_first_evaluates.py": "Only the first tower measures accuracy; of a small "
    "batch only the first tower gets examples",
    "alone/loss_in_a_branch.py": "Settings choose the branch that makes the loss and "
    "minimises it",
    "alone/typed_graph.py": "A function returns the graph as a typed NamedTuple; the settings "
    "are a dataclass",
    "alone/fed_in_the_middle.py": "Feeds of tensors that the graph computes: scaled pictures, "
    "and parts of a layer's output",
    "alone/fed_in_part.py": "An autoencoder on a dataset; some runs feed its codes or its "
    "pictures instead",
    "alone/feeds_by_need.py": "A method returns the feed and the lengths; it feeds only the "
    "arguments that it gets",
    "alone/feeds_of_a_base.py": "A model of a course: a base class trains on batches, and a "
    "method makes the feeds",
    "alone/feeds_zipped.py": "Feeds made by comprehensions and zip, from lists and dicts of "
    "placeholders",
    "alone/metrics_streamed.py": "Streaming metrics in their own scopes, updated over batches "
    "and reset before each pass",
    "alone/metrics_of_model.py": "A model class whose metrics start again in every evaluation",
    "alone/metrics_of_contrib.py": "Streaming metrics of contrib, updated over batches, and "
    "printed and reset after each epoch",
    "hooks/logger.py": "A tutorial's logging hook, which requests the loss of every run, and "
    "so takes a batch in every run",
    "hooks/rates.py": "A hook that sets the learning rate by a feed, one that saves, and one "
    "that restores",
    "hooks/workers.py": "Workers with their own hooks: one logs, one stops each worker after "
    "a number of its steps",
    "estimator_variants/averaged.py": "Evaluation uses averaged weights; gradients collected "
    "over several steps; conditional updates",
    "estimator_variants/keras_inside.py": "Keras layers in a model_fn, also through other "
    "names of the module",
    "estimator_variants/partitioned.py": "Partitioned variables: a partitioner of a scope and "
    "of a variable; lookups by mod and by div",
    "estimator_variants/positional.py": "Positional arguments of model_fn, EstimatorSpec and "
    "RunConfig; features that are one tensor",
    "estimator_variants/queued.py": "input_fns that read queues: lines in epochs, a dict that "
    "contains the label, seeded slices",
    "estimator_variants/ready_made.py": "Ready-made Estimators with heads that the program "
    "chooses, and the baseline",
    "estimator_variants/configured.py": "Arguments of RunConfig, TrainSpec and EvalSpec, also "
    "wrong ones",
    "estimator_variants/control_flow.py": "Conditions and loops in a model_fn, shared layers, "
    "metrics written by the program",
    "estimator_variants/exporters.py": "All exporters, and one of the program, in "
    "train_and_evaluate: what they write, and when",
    "estimator_variants/frames.py": "pandas_input_fn with the labels in a Series, in a "
    "DataFrame, or without labels",
    "estimator_variants/hooks.py": "TensorFlow's hooks and hooks of the program in training, "
    "evaluation and prediction, and what they write",
    "estimator_variants/looked_at.py": "Sessions beside an Estimator that read its input: one "
    "batch, several, or all",
    "estimator_variants/stopped_early.py": "Training ends when the evaluations no longer "
    "improve",
    "estimator_variants/subclassed.py": "A subclass of Estimator: a lookup table, averages, "
    "two optimizers, weights, a scaffold",
    "estimator_variants/texts.py": "Texts: bags of words, a recurrent and a convolutional "
    "network, and one function that makes every EstimatorSpec",
    "estimator_variants/threads.py": "Arrays that several threads read, in several epochs, "
    "and in random order; the order of metrics",
    "estimator_variants/vocabularies.py": "Ready-made Estimators and a model_fn that start "
    "from a checkpoint with another vocabulary",
    "keras_models/branches.py": "A parameter chooses the update: each branch has its own "
    "optimizer",
    "keras_models/builders.py": "Model functions that come from builders, partials and "
    "lambdas; values that depend on the mode",
    "keras_models/by_mode.py": "Layers and branches for each mode, as in the official MNIST "
    "model",
    "keras_models/chosen.py": "A program that chooses model functions, activations and losses "
    "by name",
    "keras_models/iris.py": "The tutorial's custom Estimator: feature columns, a list of "
    "hidden layers, class names",
    "keras_models/plain_values.py": "Python values among layers, labels that are assigned "
    "again, one EstimatorSpec for all modes, no labels",
    "keras_models/rates.py": "Functions that return rates and optimizers; grouped averages; "
    "penalties of variables",
    "keras_models/warm_ups.py": "Learning rates computed from the step: a warm-up, a root, a "
    "function",
    "keras_models/twice.py": "A network that is called twice, layer objects that share "
    "weights, dicts that are filled step by step",
    "keras_parts/averaged.py": "Moving averages of the variables, updated after each step and "
    "restored for evaluation",
    "keras_parts/chosen_variables.py": "Training that changes only the variables of one scope",
    "keras_parts/collected_losses.py": "Losses that the graph collects; functions inside "
    "model_fns; rates made in the optimizer's call; seeds",
    "keras_parts/inputs_bound_again.py": "One name for three inputs: of training, of "
    "evaluation, of prediction",
    "keras_parts/metric_functions.py": "Functions that make metrics: inside the model_fn, as "
    "in BERT, and in the module",
    "keras_parts/numbered_blocks.py": "Functions that make layers without names, and are "
    "called several times",
    "keras_parts/recurrent.py": "Recurrent networks: stacked cells, both directions, "
    "sequences of any length",
    "keras_parts/variables_in_functions.py": "A small transformer whose functions make their "
    "own variables",
    "keras_parts/watched_and_exported.py": "Hooks that read the global step, and exported "
    "tensors that are also predictions",
    "model_objects/classes.py": "Subclasses of Estimator and other classes, whose model_fn is "
    "a function, a method, a partial or a lambda",
    "model_objects/kinds.py": "A static method and a class method as model_fn, and a method "
    "that returns the model_fn",
    "model_objects/networks.py": "Networks that are objects: the constructor gets the mode, "
    "and methods build the parts",
    "model_objects/trainers.py": "Trainers whose method is the model_fn, and reads arguments "
    "of the constructor",
    "keras_holding/objects_around.py": "A method defines the model_fn, which reads the "
    "method's object",
    "keras_holding/vocabularies.py": "A model_fn that looks up words and labels, as in the "
    "samples of Cloud ML",
    "keras_stars/sales_train.py": "Star imports bring the parts of the model; the program "
    "trains it",
    "keras_stars/sales_predict.py": "The same model; the program trains a little, and another "
    "Estimator predicts",
    "keras_networks/called_twice.py": "A network of another file that is called twice: for "
    "training and for evaluation",
    "keras_networks/ctr_task.py": "A click model in a package: training and evaluation",
    "keras_networks/digits_train.py": "A model of digits in several files; this program "
    "trains it",
    "keras_networks/faces.py": "A model of faces whose network is in another file",
    "keras_networks/houses.py": "Prices of houses: the model_fn is in the program, the "
    "networks are in other files",
    "keras_networks/ranker_main.py": "A ranker in a package; this program trains it",
    "keras_networks/tuned.py": "Model functions whose optimizers, losses and metrics are in "
    "another file",
    "keras_networks/zoo_main.py": "Two networks of a package, one of them linear, each with "
    "its own model_fn",
    "optimised/optimize_loss.py": "contrib's optimize_loss with the arguments of public "
    "programs, and a training that continues",
    "optimised/scoped.py": "Scopes around the update that name its variables, and a training "
    "that continues",
    "scoped/tasks.py": "A function that builds a tower for each of two tasks, in the tower's "
    "scope",
    "scoped/text_cnn.py": "A network for sentences with filters of several widths: a scope "
    "for each width, an embedding on the CPU",
    "scoped/text_filters.py": "A network for sentences that makes the weights of its filters "
    "itself, in a scope for each width",
    "subclassed/contrib_tower.py": "contrib's layers with names and defaults; averages of "
    "batch normalisation that update in place",
    "subclassed/crossing.py": "DeepFM with layers in a loop, dropout that depends on the "
    "mode, and weights with numbered names",
    "subclassed/factors.py": "A factorization machine with a deep part: its own variables, "
    "penalties in the loss",
    "subclassed/hooked.py": "Hooks in every mode, and the tensors that they read besides the "
    "loss",
    "subclassed/tagged.py": "Summaries in scopes, some with the name of a variable or layer",
    "subclassed/mixed.py": "Columns and layers with functions between them, and dropout that "
    "depends on the mode",
    "compiled_keras/sequential.py": "A compiled Sequential model as an Estimator: trained, "
    "evaluated and exported",
    "compiled_keras/functional.py": "A functional model with two inputs and two outputs; "
    "rates that decay; named metrics",
    "compiled_keras/tf1_optimizer.py": "One model with an optimizer of tf.train, and one "
    "whose optimizer is given by name",
}
