"""asv benchmarks: is our code slower than it was? Only public names of aucbench are used."""
