# %% [markdown]
# # Towers, on MirroredStrategy
#
# A TensorFlow 1 program that gives every device of one machine a part of the batch and
# averages the gradients itself, what `tf1to2` makes of it, and both runs.

# %%
# %matplotlib inline
from reference.notebooks import story

NAME = "towers"
# One process, and no cluster: TF_CONFIG names it alone, and neither program reads it.
CLUSTER = story.Cluster(ps=0)
STEPS = 60

# %% [markdown]
# ## The TensorFlow 1 program
#
# It is a notebook itself, [towers_tf1.ipynb](towers_tf1.ipynb).

# %%
story.show("towers_tf1")

# %% [markdown]
# ## What the tool writes
#
# `tf1to2 migrate towers_tf1.ipynb --diff`; the whole result is
# [towers_tf2.ipynb](towers_tf2.ipynb).

# %%
story.show_changes(NAME)

# %% [markdown]
# - **A tower is a replica** of `MirroredStrategy`. The loop over devices is gone; `i` is the
#   replica's number.
# - **Variables** are made once, under the strategy's scope; each device has a copy.
# - **The average** is `replicas.average`, found by what `average_gradients` computes and
#   not by its name.
#
# ## Both, side by side
#
# On a machine without GPUs TensorFlow 1 computed all towers on the CPU; the migrated
# program makes two logical CPUs, so that there are two replicas here too. The oracle is:

# %% tags=["varies"]
print(story.said())

# %%
tf1 = story.tf1(NAME, CLUSTER, STEPS)
tf2 = story.tf2(NAME, CLUSTER, STEPS)
story.compare(tf1, tf2, allowed=0)

# %%
story.plot(tf1, tf2, "two towers")

# %% [markdown]
# ## What to watch out for
#
# - Every replica is given the whole batch and takes its part, as the program did. With
#   large inputs a dataset that the strategy distributes sends less.
# - The loss of a tower is its own; what the loop logs is what it logged.
# - Bits are equal with `TF_ENABLE_ONEDNN_OPTS=0`, as here.
