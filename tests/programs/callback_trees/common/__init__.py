"""What the trainers have in common."""
