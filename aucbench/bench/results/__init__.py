"""The results of cells: records, and the tables that are made of them."""
