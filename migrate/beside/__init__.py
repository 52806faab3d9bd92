"""What is written beside programs: of the emitted modules, what programs reach."""
