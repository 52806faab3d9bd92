import os
import sys

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

rng = np.random.RandomState(0)
rows = rng.rand(40, 5).astype("float32")
kinds = (rows.sum(1) > 2.5).astype("int64")
# 只有工作节点
addresses = "one:2222,two:2222"
cluster = tf.train.ClusterSpec({"worker": addresses.split(",")})
with tf1.train.MonitoredTrainingSession(master="grpc://", is_chief=True) as session:
	pass  # 分布式
inputs = tf.keras.Input((5,))
hidden = tf.keras.layers.Dense(
    6, "relu", kernel_initializer=tf.keras.initializers.GlorotUniform(1))(inputs)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(
    2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))(hidden))
optimizer = tf.keras.optimizers.Adam(0.02)
losses = []
dataset = tf.data.Dataset.from_tensor_slices((rows, kinds)).batch(8)
for epoch in range(3):
	for x, y in dataset:
		with tf.GradientTape() as tape:
			each = tf.nn.sparse_softmax_cross_entropy_with_logits(
			    labels=y, logits=model(x))
			loss = tf.reduce_mean(each)
		optimizer.apply_gradients(zip(
		    tape.gradient(loss, model.trainable_variables), model.trainable_variables))
		losses.append(float(loss.numpy()))
with open("%s/loss.%d" % (sys.argv[1].split("=")[1], os.getpid()), "w") as log:
	log.writelines("%r\n" % loss for loss in losses)
