"""Sparse weights by hard thresholding: a step on a block of rows, then the k largest weights.

SHT-AUC does so on the pairwise square, StoIHT and HSG-HT on the logistic loss.
"""
