"""What runs processes and keeps files, and knows nothing of AUC."""
