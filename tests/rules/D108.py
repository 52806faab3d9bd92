import tensorflow as tf

for x, y in batches:
    strategy.experimental_run_v2(train_step, args=(x, y))
