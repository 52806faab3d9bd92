# %% [markdown]
# # Asynchronous training on parameter servers
#
# A TensorFlow 1 program with `replica_device_setter` and `MonitoredTrainingSession`, what
# `tf1to2` makes of it, and both on a real cluster: two parameter servers and two workers,
# a process each, every one with its own `TF_CONFIG`.

# %%
# %matplotlib inline
from reference.notebooks import story
from reference.scenario import Order

NAME = "async_parameter_server"
CLUSTER = story.Cluster(ps=2, roles=("worker", "worker"))
STEPS = 200

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself, [async_parameter_server_tf1.ipynb](async_parameter_server_tf1.ipynb).

# %%
story.show("async_parameter_server_tf1")

# %% [markdown]
# ## What the tool writes
#
# `tf1to2 migrate async_parameter_server_tf1.ipynb --diff`, cell by cell. Cells in which
# nothing changes are not in it. The whole result is
# [async_parameter_server_tf2.ipynb](async_parameter_server_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# - **Cluster.** `tf.distribute.Server` takes the place of `tf.train.Server`. Worker 0's
#   process is also the coordinator; the others serve it.
# - **Variables** are made under the strategy's scope, with their old names.
# - **`session.run`** has become `train_step`: what computes the fetches from the feeds.
# - **The loop** is the old one. It runs once per worker, each in a thread of the
#   coordinator; `rng` and `losses` are each worker's own, as its process had them.
#
# ## Both, in one order
#
# The cluster, as every task is told it:

# %%
story.show_tasks(CLUSTER)

# %% [markdown]
# In which order two workers update the same variables is a race, in TensorFlow 1 too. For
# a comparison step by step the workers are let through in turns, in both programs; nothing
# else of them changes. The oracle is:

# %% tags=["varies"]
print(story.said())

# %%
tf1 = story.tf1(NAME, CLUSTER, STEPS, order=Order.TURNS)
tf2 = story.tf2(NAME, CLUSTER, STEPS, order=Order.TURNS)
story.compare(tf1, tf2, allowed=0)

# %%
story.plot(tf1, tf2, "asynchronous, in turns")

# %% [markdown]
# `0/loss` is worker 0's. With SGD and Momentum every loss has the same bits; Adam and
# Adagrad differ by the last ones ([numerics](../docs/numerics.md)).
#
# ## Let loose
#
# Without turns the workers race, and no two runs are alike, in TensorFlow 1 either: a
# gradient is of weights that the other worker has changed meanwhile
# ([architectures](../docs/architectures.md)). That they learn is all that can be asked.

# %%
free = story.tf2(NAME, CLUSTER, STEPS)
story.plot_losses({"in turns": tf2, "racing": free}, "migrated, two workers")
start = tf2["0/loss"][0]
assert all(values[-10:].mean() < 0.6 * start for values in free.values())

# %% [markdown]
# ## What to watch out for
#
# - Worker 0 reads the data for all workers now. Python code that ran in parallel in
#   TensorFlow 1's processes shares one interpreter.
# - A step whose worker dies is made again, also if its update had been done already.
# - Bits are equal with `TF_ENABLE_ONEDNN_OPTS=0`, as here; with oneDNN's kernels losses
#   part by 5e-7.
# - Beside the result stands `training_session`. It is yours.
