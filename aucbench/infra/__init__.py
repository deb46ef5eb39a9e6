"""Running processes and storing files; this package knows nothing about AUC."""
