"""One module per shape of TF2 program; each turns the IR into a plan."""
