import tensorflow as tf
tf.contrib.cudnn_rnn.CudnnLSTM
