"""Solvers for sparse weights: each step moves along a gradient, then keeps the k largest weights.

SHT-AUC minimises the pairwise square; StoIHT and HSG-HT minimise the logistic loss.
"""
