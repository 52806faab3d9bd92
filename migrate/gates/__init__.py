"""Gates that compare a program with what was made of it, and know nothing of the passes."""
