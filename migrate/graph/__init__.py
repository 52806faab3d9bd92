"""What a TensorFlow 1 program builds and runs, as frozen data without a syntax tree."""
