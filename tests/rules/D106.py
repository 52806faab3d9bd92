import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["/cpu:%d" % i for i in range(replicas)])
dataset = dataset.batch(8)
batches = dataset.prefetch(1)

for x, y in batches:
    strategy.experimental_run_v2(train_step, args=(x, y))
