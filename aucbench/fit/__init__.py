"""One cell: what its process does, and the record that it leaves."""
