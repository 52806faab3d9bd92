from tensorflow.contrib import *
