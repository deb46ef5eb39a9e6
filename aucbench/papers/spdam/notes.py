"""What the paper leaves open, and how it is repeated here."""

from __future__ import annotations

from aucbench.papers.parts import Scale

TABLE = (
    "Protocol: five repeats of five folds; hyperparameters by inner folds of the training rows of "
    "each run; feature maps are fitted to training rows only. The folds here are stratified, of "
    "which the paper says nothing. There is no protocol of published code, because the code of "
    "this paper is not public. (That of the authors for SOLAM chooses hyperparameters once, on "
    "the first of the 25 training sets, so that they have seen test rows of the other runs.)",
    "The columns have two scalings. The paper ran SPDAM and regSOLAM itself, and took the other "
    "six columns from Gao et al. (2013). Its own two have rows of length 1 for the small sets; "
    "the six have rows of any length. fourclass tells them apart. The exact minimiser of the "
    "pairwise square has AUC 0.831 with features in [−1, 1], where the paper prints 0.8309 for "
    "B-LS-SVM, and 0.823 with rows of length 1 besides, where it prints 0.8223 for SPDAM.",
    "The paper does not say that features of the small sets are scaled to [−1, 1] before rows "
    "are, but they must be. With raw features and rows of length 1 the exact minimiser has AUC "
    "0.690 on diabetes and 0.784 on fourclass, and with features divided by their largest "
    "magnitude 0.701 and 0.784. With [−1, 1] it has 0.830 and 0.823 (published for SPDAM: 0.8275 "
    "and 0.8223). LIBSVM has these sets in that form too (diabetes_scale, fourclass_scale, "
    "german.numer_scale). The map min-max makes it of training rows; a9a and ijcnn1 are as "
    "LIBSVM has them.",
    "For the large sets the paper prints (x − mean(x))/‖x‖, which can be read in several ways. "
    "The map unit-centred here subtracts the mean of each feature over the training rows, and "
    "then divides the row by its new length. Published code of the authors for SOLAM and SPAM "
    "writes the mean of the entries of each row, which is no leak, in a line that is switched "
    "off. For the exact minimiser both readings agree to 0.003 on splice, a9a and ijcnn1.",
    "Budgets: SPDAM has 50 passes, and ends with a certified relative gap of 1e-6; evaluations "
    "of the gap are counted. regSOLAM has 15 passes, as in published code of the authors. OPAUC, "
    "OAM and Uni-Exp have one pass, for which they are made. The paper says nothing of budgets. "
    "The table of budgets shows SPDAM after fewer passes. Its published AUC on ijcnn1, 0.9132, "
    "is below that of every batch method; so low are runs that end after 5 to 15 passes.",
    "Grids: λ of SPDAM, and λ and ξ of regSOLAM, are those of the paper; the others are those of "
    "the solvers here, from the papers of these methods. regSOLAM adds its ridge to p(1 − p) "
    "times the pairwise square and SPDAM to the pairwise square, so that one number λ is a "
    "larger ridge for regSOLAM.",
    "mnist, acoustic, covtype, usps and sector have more than two classes, which the paper "
    "divides at random. usps here has the digits 5-9 as positive. The published code of the "
    "authors for SOLAM and SPAM counts one class in both groups, so that of ten digits four are "
    "positive and six negative; whether it made this table is not known. The other six columns "
    "have the halves of Gao et al. So not even SPDAM (0.9854) and B-LS-SVM (0.9634) of the "
    "published row of usps can be compared with each other.",
    "OAM is implemented as it is generally described, because its paper leaves details open. On "
    "splice the AUC of OAMseq is higher here than published. On ijcnn1 it is lower: tuning takes "
    "the least C of the grid, 2^−10, with AUC 0.89 for OAMseq and 0.90 for OAMgra, while C = 2^−16 "
    "has 0.921 for both on the same rows (published: 0.9209 and 0.9100). Steps "
    "here grow with the number of rows seen; how the published code weighs them is not known.",
)


def of_scale(scale: Scale) -> tuple[str, ...]:
    """Return what is smaller here than in the paper."""
    if scale is Scale.QUICK:
        return (
            "Quick: diabetes, fourclass, german, splice and usps; two repeats of five folds; three "
            "inner folds; 24 points of each grid. Of the 132 points of regSOLAM, 24 often miss the "
            "best.",
        )
    return (
        "Full: the repeats and inner folds of the paper. On the four small sets 132 points of each "
        "grid are tried, which is all of regSOLAM; on usps, a9a and ijcnn1 24 of them, to keep the "
        "cost.",
    )


FIGURES = (
    "The text of the paper does not say which data sets its figures show; german, splice and usps "
    "stand for them, with the features of table 3. λ is that which tuning SPDAM chose most often "
    "for table 3 at quick scale: 0.01, 0.01 and 0.001.",
    "The horizontal axis has passes over the rows in place of iterations: one iteration of SPDAM "
    "reads a batch, and one of regSOLAM a row. Passes of SPDAM count evaluations of the gap, of "
    "which there is one after four passes of steps, and with blocks the search for their norms.",
)
FIGURE_1 = (
    "SPDAM has batches of 10 % of the rows that are drawn as published, and 400 passes or a "
    "certified gap of 1e-8. regSOLAM has the same number λ, as published, which is a larger ridge "
    "for it, and 100 passes; its step ξ, of which the paper says nothing, is chosen by inner folds "
    "from the published grid. Its minimum is that of the exact solver with the same objective.",
    "The bound O(1/√t) of regSOLAM holds without strong convexity. With its ridge the mean of the "
    "iterates comes near the minimum like 1/t here. The rate of SPDAM falls with λ: on usps, where "
    "λ is least, regSOLAM is ahead for the first hundred passes. Batches that are blocks of a "
    "fixed partition, the default here, take a half to a third of the passes, see figure 2.",
)
FIGURE_2 = (
    "Both ways of drawing batches are shown: as published, rows without replacement, where the "
    "longest row decides how long steps are; and one block of a fixed partition, where the norm "
    "of the blocks decides.",
)


def figures_of_scale(scale: Scale) -> tuple[str, ...]:
    """Return how many splits the figures have."""
    repeats = "one repeat" if scale is Scale.QUICK else "two repeats"
    return (f"Lines are medians over {repeats} of five folds; intervals are over the same splits.",)
