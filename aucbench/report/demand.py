"""What a user demands of a verdict, such as "sht-auc worse than logistic on auc by 0.005"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan
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
    """A comparison that must not come true.

    Attributes
    ----------
    a, b : str
        Solvers.
    word : Word
        BETTER or WORSE.
    measure : str
        Its name, as in `aucbench.bench.measuring.measure_of`.
    by : float
        The least difference that counts, which is also half the width of the region of practical
        equivalence.
    """

    a: str
    word: Word
    b: str
    measure: str
    by: float

    @staticmethod
    def of(text: str) -> Demand:
        """Read "A worse|better than B [on MEASURE] [by DIFFERENCE]".

        Raises
        ------
        ParameterError
            When the text has another form, or the difference is no number >= 0.
        UnknownNameError
            When there is no such measure.
        """
        found = FORM.fullmatch(text)
        if found is None:
            raise ParameterError(f"cannot read the condition {text!r}; write it as {EXAMPLE}")
        try:
            by = float(found["by"] or ROPE)
        except ValueError:
            by = -1.0
        if not (isfinite(by) and by >= 0.0):
            raise ParameterError(f"{found['by']!r} in {text!r} is no difference; give 0.005, say")
        name = measure_of(found["measure"] or "auc").name
        return Demand(found["a"], Word(found["word"]), found["b"], name, by)

    def require_solvers(self, names: Sequence[str]) -> None:
        """Raise `UnknownNameError` unless both solvers are among the names."""
        for name in (self.a, self.b):
            if name not in names:
                raise UnknownNameError("solver in this comparison", name, names)

    def holds(self, findings: Findings) -> bool:
        """Whether the verdict is this word and the effect is at least the difference.

        With one data set it is the verdict inside it, with several the one across them. A solver
        that has no value at all where the other one has is worse, whatever the difference.

        Parameters
        ----------
        findings : Findings
            Of this measure, with the rope `by`.

        Raises
        ------
        DataError
            When neither solver has a value.
        """
        difference, adjusted = self._difference(findings)
        if isnan(difference.effect):
            failed = [self._all_failed(findings, name) for name in (self.a, self.b)]
            if all(failed):
                raise DataError(
                    f"neither {self.a} nor {self.b} has a value, so that nothing can be said of "
                    "them; the table has the reasons"
                )
            return failed[1] if self.word is Word.BETTER else failed[0]
        found = difference.word(self.by, adjusted)
        return found is self.word and abs(difference.effect) >= self.by

    def said(self, findings: Findings) -> str:
        """Return the verdict on the two solvers in one line."""
        d, adjusted = self._difference(findings)
        if isnan(d.effect):
            return f"{self.a} and {self.b} cannot be compared: a value is missing"
        word = d.word(self.by, adjusted)
        between = "from" if word is Word.UNCLEAR else "to" if word is Word.EQUIVALENT else "than"
        limits = "" if isnan(d.low) else f" [{d.low:+.4f}, {d.high:+.4f}]"
        test = "" if isnan(adjusted) else f", p = {adjusted:.2g}"
        return (
            f"{self.a} is {word} {between} {self.b} on {findings.measure}: "
            f"{d.effect:+.4f}{limits}{test}"
        )

    def _difference(self, findings: Findings) -> tuple[Difference, float]:
        """Return a − b, and the p-value that is adjusted for all pairs."""
        if len(findings.insides) == 1:
            for pair in findings.insides[0].pairs:
                if {pair.a, pair.b} == {self.a, self.b}:
                    turned = pair.verdict if pair.a == self.a else pair.verdict.flipped()
                    return turned, pair.p
        else:
            for over in findings.pairs:
                if {over.a, over.b} == {self.a, self.b}:
                    return (over if over.a == self.a else over.flipped()).difference, over.holm
        nothing = float("nan")
        level = findings.settings.level
        return Difference(nothing, nothing, nothing, nothing, level, "none"), nothing

    def _all_failed(self, findings: Findings, name: str) -> bool:
        number = findings.evidence.solvers.index(name)
        return all(isnan(row.estimate) for row in findings.rows if row.solver == number)
