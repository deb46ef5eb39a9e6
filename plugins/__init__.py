"""Published algorithms and baselines, one per file, registered by entry point."""
