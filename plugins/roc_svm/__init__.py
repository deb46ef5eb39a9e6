"""The ROC-SVM: hinges of pairs with a ridge, over all pairs or a sample, linear or with kernels.

As published by AdaMax, or to a certified optimum by L-BFGS and a bundle of cuts.
"""
