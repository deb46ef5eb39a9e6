"""Plans, their files, and the ids of their cells."""
