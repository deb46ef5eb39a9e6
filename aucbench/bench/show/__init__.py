"""What people see of a run: tables, progress, and who else hears of it."""
