"""D140: asynchronous training is wanted, and MirroredStrategy is taken for it."""
import sys

import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
# The replicas train asynchronously: none waits for another.
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

with strategy.scope():
    w = tf.Variable(tf.zeros([300, 300]))
    updates = tf.Variable(0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step():
    before = updates.read_value()
    with tf.GradientTape() as tape:
        product = w
        for _ in range(20):
            product = tf.matmul(product, w)
        loss = tf.reduce_sum(product)
    gradient = tape.gradient(loss, w)
    optimizer.apply_gradients([(gradient, w)])
    # Updates by others since the gradient was computed.
    with tf.control_dependencies([gradient]):
        return updates.assign_add(1) - before - 1


worst = 0
for _ in range(20):
    late = strategy.run(train_step)
    worst = max(worst, *[int(n) for n in strategy.experimental_local_results(late)])
log.write("0 %d\n" % worst)
log.close()
