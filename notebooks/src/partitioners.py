# %% [markdown]
# # Embedding tables in shards
#
# A TensorFlow 1 program whose tables are split by partitioners over two parameter
# servers, what `tf1to2` makes of it, and both on a real cluster.

# %%
# %matplotlib inline
from reference.notebooks import story

NAME = "partitioners"
CLUSTER = story.Cluster(ps=2)
STEPS = 100

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself, [partitioners_tf1.ipynb](partitioners_tf1.ipynb).

# %%
story.show("partitioners_tf1")

# %% [markdown]
# ## What the tool writes
#
# `tf1to2 migrate partitioners_tf1.ipynb --diff`; the whole result is
# [partitioners_tf2.ipynb](partitioners_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# - **Partitioners** are the strategy's now, one for all variables. So that each variable
#   keeps its own, the strategy gets one that shards inside `sharding(...)` only.
# - **`embedding_lookup`** distributed ids by "mod" unless told otherwise: id 5 of a table in
#   three shards is row 1 of shard 2. TensorFlow 2's sharded variables count by "div": row 5
#   of all rows. The rows are where TensorFlow 1 put them, so that its checkpoints can be
#   read; the ids are mapped.
#
# ## Both, on a cluster

# %%
story.show_tasks(CLUSTER)

# %% tags=["varies"]
print(story.said())

# %%
tf1 = story.tf1(NAME, CLUSTER, STEPS)
tf2 = story.tf2(NAME, CLUSTER, STEPS)
story.compare(tf1, tf2, allowed=0)

# %%
story.plot(tf1, tf2, "two tables in shards")

# %% [markdown]
# ## What to watch out for
#
# - A partitioner along another axis than 0 has no counterpart and is refused.
# - Without the mapping nothing would fail: every word would have another word's vector, and
#   training would look healthy until a checkpoint is read.
# - Where each shard is placed may differ; how many there are does not.
