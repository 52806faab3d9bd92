# %% [markdown]
# # An Estimator, trained and evaluated on a cluster
#
# A TensorFlow 1 program with a `model_fn` and `train_and_evaluate`, what `tf1to2` makes of
# it, and both on a real cluster: a chief, a parameter server and an evaluator, a process
# each, told by `TF_CONFIG`.

# %%
# %matplotlib inline
from reference.notebooks import story

NAME = "estimator"
CLUSTER = story.Cluster(ps=1, roles=("chief", "evaluator"))
STEPS = 60

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself, [estimator_tf1.ipynb](estimator_tf1.ipynb).

# %%
story.show("estimator_tf1")

# %% [markdown]
# ## What the tool writes
#
# This job has a task of its own that evaluates. With `Model.fit`, the default, the process that trains would
# also evaluate, so we keep the Estimator: `tf1to2 migrate estimator_tf1.ipynb --estimators estimator --diff`.
# The whole result is [estimator_tf2.ipynb](estimator_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# The `model_fn` is a Keras model now: its variables under their names, its network, and a step for
# each mode, which the strategy that `TF_CONFIG` asks for runs. `estimator_loop` and `keras_estimator` are written beside it and are yours.
#
# ## Both, on a cluster
#
# The cluster, as every task is told it. The evaluator takes no part in it; it watches the
# directory of checkpoints.

# %%
story.show_tasks(CLUSTER)

# %% [markdown]
# The oracle is:

# %% tags=["varies"]
print(story.said())

# %%
tf1 = story.tf1(NAME, CLUSTER, STEPS)
tf2 = story.tf2(NAME, CLUSTER, STEPS)
story.compare(tf1, tf2, allowed=0)

# %% [markdown]
# `0/loss` is the chief's, `1/error` what the evaluator measured at the last checkpoint.

# %%
losses = [{"loss": trace["0/loss"]} for trace in (tf1, tf2)]
story.plot(*losses, "train_and_evaluate")

# %% [markdown]
# ## What to watch out for
#
# - Which checkpoints an evaluator sees depends on how fast it is; the last one it always
#   sees.
# - `session.run` inside a hook does not exist; a hook asks for what it wants in
#   `before_run`, as here.
# - Ready-made Estimators (`DNNClassifier` and its kind) come from a module written beside
#   the program (E101). Boosted trees are refused (E117).
# - More of what is the same, and what is not: [estimators](../docs/estimators.md).
