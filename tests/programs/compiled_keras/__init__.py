"""Programs that make an Estimator of a compiled Keras model."""
