"""TF1 to TF1: the ways to open a session, its server and its block, as one."""
