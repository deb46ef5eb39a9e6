"""The ROC-SVM minimises the hinge of pairs with a ridge.

It is linear or has a kernel, and takes all pairs or a sample of them. It is solved by AdaMax, as
published, or to a certified optimum by L-BFGS and a bundle of cuts.
"""
