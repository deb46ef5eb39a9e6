"""projectors."""
