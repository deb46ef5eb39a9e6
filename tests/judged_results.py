"""What tests of judged results share."""


def said_of(findings):
    """The words of all pairs in either order, who may be the best, and the means."""
    pairs = [*findings.pairs, *(pair.flipped() for pair in findings.pairs)]
    words = {(pair.a, pair.b): pair.word for pair in pairs}
    names = findings.frame.solvers
    leading = {names[number] for number in findings.leading}
    means = findings.values.mean(axis=0).round(6).tolist()
    return words, leading, dict(zip(names, means, strict=True))
