"""Which method is better: plan, cell, runner, summary."""
