# %% [markdown]
# # Synchronous training, from SyncReplicasOptimizer
#
# A TensorFlow 1 program in which two workers average their gradients on a parameter
# server, what `tf1to2` makes of it, and both on a real cluster: processes that know each
# other from `TF_CONFIG`.

# %%
# %matplotlib inline
from reference.notebooks import story
from reference.scenario import Order

NAME = "sync_replicas"
CLUSTER = story.Cluster(ps=1, roles=("worker", "worker"))
STEPS = 60

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself, [sync_replicas_tf1.ipynb](sync_replicas_tf1.ipynb).

# %%
story.show("sync_replicas_tf1")

# %% [markdown]
# ## What the tool writes
#
# `tf1to2 migrate sync_replicas_tf1.ipynb --diff`; the whole result is
# [sync_replicas_tf2.ipynb](sync_replicas_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# - **`MultiWorkerMirroredStrategy`** takes the place of `SyncReplicasOptimizer` and of the
#   parameter server: every worker has all variables, and gradients are averaged by an
#   all-reduce.
# - **Every worker runs the program**, with its old `TF_CONFIG`. The `ps` task says that it
#   is no longer needed and ends with exit code 0.
# - **The hook and its tokens** have no counterpart: in every step every worker takes part.
#
# ## Both, in step
#
# The cluster, as every task is told it:

# %%
story.show_tasks(CLUSTER)

# %% [markdown]
# TensorFlow 1 averages two gradients, but a fast worker may give both: even
# `num_tokens=0` does not keep it from taking a slow one's token. For a comparison step by
# step the TensorFlow 1 workers begin each run together. The migrated ones do so by
# themselves. The oracle is:

# %% tags=["varies"]
print(story.said())

# %%
tf1 = story.tf1(NAME, CLUSTER, STEPS, order=Order.IN_STEP)
tf2 = story.tf2(NAME, CLUSTER, STEPS)
story.compare(tf1, tf2, allowed=0)

# %%
story.plot(tf1, tf2, "synchronous, two workers")

# %% [markdown]
# ## What to watch out for
#
# - `replicas_to_aggregate` other than the number of workers stops the program with an
#   error: backup workers have no counterpart.
# - The loss is the worker's own, as it was. Each replica's gradient counts equally.
# - Of a sparse gradient each row is averaged over the workers whose batch has it, as
#   TensorFlow 1's accumulator did; the strategy alone would average over all.
# - Every step waits for the slowest worker. Of the bytes a step sends, a ring of two needs
#   half of what a parameter server does ([communication](../docs/communication.md)).
