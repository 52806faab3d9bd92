"""How long the tool takes, beside what it can be compared with."""
