"""The processor time of a worker during councils, by the layer of the program that used it."""
