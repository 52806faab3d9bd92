import tensorflow as tf

print(tf.log(await number()))
