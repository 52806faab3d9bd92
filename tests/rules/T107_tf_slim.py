from tensorflow.contrib import slim
r = slim.l2_regularizer(0.1)
