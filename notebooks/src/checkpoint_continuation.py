# %% [markdown]
# # Going on from a TensorFlow 1 checkpoint
#
# TensorFlow 1 trains forty steps and is stopped. From the checkpoint it leaves, TensorFlow
# 1 goes on once, and the migrated program once: same directory, same command, same
# `TF_CONFIG`.

# %%
# %matplotlib inline
from reference.notebooks import story

NAME = "checkpoint_continuation"
CLUSTER = story.Cluster(ps=1)

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself,
# [checkpoint_continuation_tf1.ipynb](checkpoint_continuation_tf1.ipynb).

# %%
story.show("checkpoint_continuation_tf1")

# %% [markdown]
# ## What the tool writes
#
# `tf1to2 migrate checkpoint_continuation_tf1.ipynb --diff`; the whole result is
# [checkpoint_continuation_tf2.ipynb](checkpoint_continuation_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# Variables keep their names, and so do Adam's slots: the optimizer is TensorFlow 1's own
# kernel. That is all that a checkpoint needs to be read.
#
# ## Forty steps of TensorFlow 1

# %%
story.show_tasks(CLUSTER)

# %% tags=["varies"]
print(story.said())

# %%
old = story.empty("old")
before = story.tf1(NAME, CLUSTER, 40, checkpoints=old)
print("steps", before["0/step"][0], "to", before["0/step"][-1])

# %% [markdown]
# ## Forty more, of both

# %%
new = story.copied(old, "new")
tf1 = story.tf1(NAME, CLUSTER, 80, checkpoints=old)
tf2 = story.tf2(NAME, CLUSTER, 80, checkpoints=new)
print("steps", tf2["0/step"][0], "to", tf2["0/step"][-1])
# Newer Eigen rounds Adam's square root and division otherwise.
story.compare(tf1, tf2, allowed=1e-6)

# %%
losses = [{"loss": trace["0/loss"]} for trace in (tf1, tf2)]
story.plot(*losses, "steps 40 to 80, from one checkpoint")

# %% [markdown]
# Had a slot been lost, the first losses would still agree: they depend on the weights
# alone. So it is the later ones that prove something. Had the step been lost, the rate would
# be another, and training would not end at step 80.
#
# ## And back
#
# TensorFlow 1 goes on from what the migrated program has saved:

# %%
after = story.tf1(NAME, CLUSTER, 100, checkpoints=new)
print("steps", after["0/step"][0], "to", after["0/step"][-1])
assert after["0/loss"].max() < tf2["0/loss"].max()

# %% [markdown]
# ## What to watch out for
#
# - The directory is read when training starts, without a flag, as TensorFlow 1 did. Point
#   a first trial at a copy.
# - A variable whose name has changed in the program is not found: that is an error, not a
#   fresh start.
