"""Published algorithms and baselines by family, one per file, registered by entry point."""
