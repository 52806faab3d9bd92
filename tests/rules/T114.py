from tensorflow import log
