"""What a cell becomes: records, and the tables that are made of them."""
