"""What is asked for: plans, their files, and the ids of their cells."""
