import sys

import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration()] * 2)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
devices = ["/cpu:0", "/cpu:1"][:int(sys.argv[2])]
rng = np.random.RandomState(0)
houses = rng.rand(40, 5).astype("float32")
prices = houses.sum(1, keepdims=True)

# 建立网络
def build():
	net = tf.keras.models.Sequential([
		tf.keras.layers.Dense(
			6, activation="tanh",
			kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
		tf.keras.layers.Dense(
			1, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
	return net

# 异步训练：每个副本更新自己的梯度
@tf.function
def learn(net, rule, rooms, price):
	with tf.GradientTape() as tape:
		guess = net(rooms, training=True)
		error = tf.keras.losses.mean_squared_error(price, guess)
	slopes = tape.gradient(error, net.trainable_variables)
	rule.apply_gradients(zip(slopes, net.trainable_variables))
	return error

# 策略
mirrored = tf.distribute.MirroredStrategy(devices)
with mirrored.scope():
	net = build()
	rule = tf.keras.optimizers.SGD(0.05, momentum=0.5)

data = tf.data.Dataset.from_tensor_slices((houses, prices)).shuffle(40, seed=3).batch(8)
for epoch in range(3):
	for pair in data:
		error = learn(net, rule, pair)  # 一步
		log.write("%r\n" % float(error.numpy()))
log.write("%r\n" % float(sum((w.numpy() ** 2).sum() for w in net.trainable_variables)))
log.close()
