"""TF1 to TF1: graph that is built late, apart or by place, before the session."""
