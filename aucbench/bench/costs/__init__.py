"""What a plan will cost: pilot cells, and what follows from the seconds that they took."""
