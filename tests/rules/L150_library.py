import tensorflow as tf
from tensorflow.contrib import slim


def network(inputs):
    return slim.fully_connected(inputs, 2)
