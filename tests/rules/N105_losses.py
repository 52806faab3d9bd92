import tensorflow as tf
tf.losses.get_losses
