import tensorflow as tf
cluster = tf.train.ClusterSpec({"worker": ["b:1", "c:1"]})
with tf.compat.v1.Session("grpc://b:1") as sess:
    pass
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
for x, y in batches:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
