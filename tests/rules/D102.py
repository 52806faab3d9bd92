import tensorflow as tf
import tf_keras

model = tf_keras.Sequential([
    tf_keras.layers.Dense(3, activation=tf.nn.softmax, kernel_initializer="zeros"),
])
loss_object = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
