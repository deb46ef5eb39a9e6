"""What a user demands of a verdict, such as "sht-auc worse than logistic on auc by 0.005"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Final

from aucbench.bench.measuring import measure_of
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.report.findings import Findings
from aucbench.stats.words import ROPE, Difference, Word

FORM: Final = re.compile(
    r"\s*(?P<a>.+?)\s+(?P<word>worse|better)\s+than\s+(?P<b>.+?)"
    r"(?:\s+on\s+(?P<measure>\S+))?(?:\s+by\s+(?P<by>\S+))?\s*"
)
EXAMPLE = '"sht-auc worse than logistic on auc by 0.005"'


@dataclass(frozen=True, slots=True)
class Demand:
    """A comparison of two solvers that must not come true."""

    a: str
    word: Word  # BETTER or WORSE
    b: str
    measure: str  # its name, as in `aucbench.bench.measuring.measure_of`
    by: float  # the least difference that counts, which is also half the width of the rope

    @staticmethod
    def of(text: str, measure: str = "auc") -> Demand:
        """Read "A worse|better than B [on MEASURE] [by DIFFERENCE]", or raise `ParameterError`.

        `measure` is the one that counts where the text names none.
        """
        parts = FORM.fullmatch(text)
        if parts is None:
            raise ParameterError(f"cannot read the condition {text!r}; write it as {EXAMPLE}")
        try:
            by = float(parts["by"] or ROPE)
        except ValueError:
            by = -1.0
        if not (isfinite(by) and by >= 0.0):
            raise ParameterError(f"{parts['by']!r} in {text!r} is no difference; give 0.005, say")
        name = measure_of(parts["measure"] or measure).name
        return Demand(parts["a"], Word(parts["word"]), parts["b"], name, by)

    def require_solvers(self, names: Sequence[str]) -> None:
        """Raise `UnknownNameError` unless both solvers are among the names."""
        for name in (self.a, self.b):
            if name not in names:
                raise UnknownNameError("solver in this comparison", name, names)

    def holds(self, findings: Findings) -> bool:
        """Whether the verdict is this word and the effect is at least the difference.

        The findings are those of this measure, with the rope `by`. With one data set it is the
        verdict inside it, with several the one across them; what is only probable does not hold.
        A solver that has no value at all where the other one has is worse, whatever the
        difference; where neither has one, it raises `DataError`.
        """
        d, _, word = self._verdict(findings)
        if isnan(d.effect):
            failed = [self._all_failed(findings, name) for name in (self.a, self.b)]
            if all(failed):
                raise DataError(
                    f"neither {self.a} nor {self.b} has a value, so that nothing can be said of "
                    "them; the table has the reasons"
                )
            return failed[1] if self.word is Word.BETTER else failed[0]
        return word is self.word and abs(d.effect) >= self.by

    def said(self, findings: Findings) -> str:
        """Return the verdict on the two solvers in one line."""
        d, adjusted, word = self._verdict(findings)
        if isnan(d.effect):
            return f"{self.a} and {self.b} cannot be compared: a value is missing"
        limits = "" if isnan(d.low) else f" [{', '.join(d.ends())}]"
        test = "" if isnan(adjusted) else f", p = {adjusted:.2g}"
        between = word.between
        return (
            f"{self.a} is {between} {self.b} on {findings.measure}: {d.effect:+.4f}{limits}{test}"
        )

    def _verdict(self, findings: Findings) -> tuple[Difference, float, Word]:
        """Return a − b, the p-value that is adjusted for all pairs, and the word."""
        if len(findings.insides) == 1:
            inside = findings.insides[0].pairs
            known = {(pair.a, pair.b): (pair.verdict, pair.p, pair.word) for pair in inside}
        else:
            known = {(p.a, p.b): (p.difference, p.adjusted, p.word) for p in findings.pairs}
        if (self.a, self.b) in known:
            return known[self.a, self.b]
        if (self.b, self.a) in known:
            difference, adjusted, word = known[self.b, self.a]
            return difference.flipped(), adjusted, word.flipped
        nothing = Difference(nan, nan, nan, nan, findings.settings.level, "none")
        return nothing, nan, Word.UNCLEAR

    def _all_failed(self, findings: Findings, name: str) -> bool:
        number = findings.evidence.solvers.index(name)
        return all(isnan(row.estimate) for row in findings.rows if row.solver == number)
