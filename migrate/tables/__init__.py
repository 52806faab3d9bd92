"""Facts about TensorFlow, as typed rows. Logic is elsewhere."""
