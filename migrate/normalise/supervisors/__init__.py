"""TF1 to TF1: a Supervisor's program as one with a session."""
