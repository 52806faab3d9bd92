"""TF1 to TF1: functions in the place where they are called, with one way out."""
