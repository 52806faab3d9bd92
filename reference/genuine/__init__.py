"""The graphs that TensorFlow 1.15.5 itself builds of programs: what the evaluator is measured by."""
