"""Which method is better: plans, cells, where they run, where they are kept, what is shown."""
