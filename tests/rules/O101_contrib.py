import tensorflow as tf
tf.contrib.opt.LazyAdamOptimizer
