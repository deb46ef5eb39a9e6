"""The solver of two features, which maximises the AUC itself over the directions of the plane."""
