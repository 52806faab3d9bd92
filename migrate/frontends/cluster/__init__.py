"""What tasks a program has, where its graph is placed, and how its workers keep pace."""
