import tensorflow as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.LSTM(3, "tanh", "sigmoid", return_sequences=True),
        tf.keras.layers.LSTM(3, "tanh", return_sequences=True),
        tf.keras.layers.GRU(3, return_sequences=True),
        tf.keras.layers.RNN(tf.keras.layers.LSTMCell(3), return_sequences=True),
        tf.keras.layers.RNN(tf.keras.layers.GRUCell(3)),
    ]
)
print(tf.log(2.0))
