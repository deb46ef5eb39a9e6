"""What people see of a run: tables and progress; and the listeners of a run."""
