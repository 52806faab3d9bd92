"""D102: from_logits=True behind a softmax."""
import sys

import numpy as np
import tensorflow as tf
import tf_keras

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rng = np.random.RandomState(0)
xs = rng.randn(64, 6).astype(np.float32)
ys = xs[:, :3].argmax(1)
model = tf_keras.Sequential([
    tf_keras.layers.Dense(3, activation=tf.nn.softmax, kernel_initializer="zeros"),
])
loss_object = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf_keras.optimizers.SGD(1.0)
for step in range(30):
    with tf.GradientTape() as tape:
        loss = loss_object(ys, model(xs))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    share = np.mean(model(xs).numpy()[np.arange(64), ys])
    log.write("%d %r\n" % (step, float(share)))
log.close()
