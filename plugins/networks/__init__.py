"""Networks of one hidden layer, trained by mini-batches on losses of pairs or of ranks.

The losses are those of `aucbench.losses`, and those of LibAUC's methods, written from the papers.
All need torch.
"""
