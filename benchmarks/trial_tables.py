"""Ten messy tables as a first user has them, made from a seed, with rows that nobody trained on.

Each table has what made the first hour hard: another decimal mark, dates, codes with thousands of
levels, free text, -999 for a missing cell, a leak, patients who come back, drift over time, weights
of rows, rare positives, labels that do not say which one is positive, many columns, many rows. The
signal is not linear in most of them: interactions, thresholds, and cells whose absence informs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

LATER = 10_000  # held-out rows of most tables
WORDS = "patient stable walks eats pain none mild fever review later family"


@dataclass(frozen=True)
class Trial:
    """A table with rows to learn from and later rows."""

    train: pd.DataFrame
    held: pd.DataFrame
    target: str
    positive: str  # the label of the positive class, as text
    options: tuple[str, ...] = ()  # of `aucbench fit`, besides the target
    csv: dict[str, Any] = field(default_factory=dict)  # how pandas writes the file
    # Columns that a careful user would not learn from: keys, weights, leaks, free text.
    aside: tuple[str, ...] = ()
    weights: str | None = None


def drawn(rng: np.random.Generator, logit: Any, share: float) -> Any:
    """Draw labels with about this share of positives; the offset is found by bisection."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = float(np.mean(1 / (1 + np.exp(-(logit + middle)))))
        low, high = (middle, high) if mean < share else (low, middle)
    return rng.random(len(logit)) < 1 / (1 + np.exp(-(logit + low)))


def gaps(rng: np.random.Generator, values: Any, share: Any) -> Any:
    """Return the values with NaN in this share of the places."""
    return np.where(rng.random(len(values)) < share, np.nan, values)


def cut(frame: pd.DataFrame, n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first n rows and the others."""
    return frame.iloc[:n].reset_index(drop=True), frame.iloc[n:].reset_index(drop=True)


def shop(rng: np.random.Generator) -> Trial:
    """Customers of a German shop: semicolons, decimal commas, dates with points, a key."""
    n = 6000 + LATER
    revenue, age = rng.lognormal(5, 1, n), rng.integers(18, 85, n)
    orders, visits = rng.poisson(3, n), rng.gamma(2, 4, n)
    region = rng.choice(["Nord", "Süd", "Ost", "West"], n)
    day = rng.integers(0, 1500, n)
    logit = 1.2 * (orders < 2) * (visits > 8) - 0.6 * np.log(revenue / 150) * (age > 40)
    logit += 0.9 * (region == "Ost") * (age < 35) + 0.0008 * day + 0.5 * np.sin(visits / 3)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D")
    frame = pd.DataFrame(
        {
            "Kundennr": np.arange(100_000, 100_000 + n),
            "Umsatz": revenue.round(2),
            "Alter": gaps(rng, age, 0.1),
            "Bestellungen": orders,
            "Besuche": visits.round(1),
            "Region": region,
            "Kunde seit": when.strftime("%d.%m.%Y"),
            "gekündigt": np.where(drawn(rng, 1.5 * logit, 0.2), "ja", "nein"),
        }
    )
    options = ("--decimal", ",", "--positive", "ja", "--drop", "Kundennr")
    csv = {"sep": ";", "decimal": ","}
    return Trial(*cut(frame, 6000), "gekündigt", "ja", options, csv, ("Kundennr",))


def hospital(rng: np.random.Generator) -> Trial:
    """Stays of patients who come back: codes, text, -999, a leak, and drift over two years."""
    n = 8000 + LATER
    patient = rng.integers(0, n // 3, n)
    frail = rng.normal(size=n // 3)[patient]
    day = np.sort(rng.integers(0, 730, n))
    age = np.clip(65 + 12 * rng.normal(size=n) + 4 * frail, 18, 99)
    creatinine = np.exp(0.1 + 0.35 * rng.normal(size=n) + 0.15 * frail) + 0.0004 * day
    stay = rng.gamma(2, 3, n)
    code, weight = rng.zipf(1.5, n) % 900, 0.8 * rng.normal(size=900)
    ward = rng.choice(["surgery", "medicine", "icu"], n, p=(0.4, 0.5, 0.1))
    unmeasured = rng.random(n) < 0.2
    logit = 0.7 * frail + weight[code] + 1.1 * (creatinine > 1.6) * ~unmeasured - 0.8 * unmeasured
    logit += 0.9 * (age > 75) * (stay > 7) + 0.6 * (ward == "icu") + 0.0006 * day
    again = drawn(rng, logit, 0.15)
    gone = np.where(again & (rng.random(n) < 0.97), "readmitted", rng.choice(["home", "care"], n))
    words = np.array(WORDS.split())
    when = pd.Timestamp("2022-01-01") + pd.to_timedelta(day, unit="D")
    frame = pd.DataFrame(
        {
            "patient": [f"P{number:05d}" for number in patient],
            "admitted": when.strftime("%Y-%m-%d"),
            "age": age.round(),
            "creatinine": np.where(unmeasured, -999, creatinine.round(2)),
            "days": stay.round(1),
            "diagnosis": [f"D{number:03d}" for number in code],
            "ward": ward,
            "note": [" ".join(rng.choice(words, 9)) for _ in range(n)],
            "discharge": gone,
            "readmitted": np.where(again, "yes", "no"),
        }
    )
    options = ("--groups", "patient", "--time", "admitted", "--drop", "discharge,note")
    options += ("--missing", "creatinine=-999")
    aside = ("patient", "note", "discharge")
    return Trial(*cut(frame, 8000), "readmitted", "yes", options, aside=aside)


def credit(rng: np.random.Generator) -> Trial:
    """Loans with weights of rows, a missing income that informs, and thresholds."""
    n = 10_000 + LATER
    income, amount = rng.lognormal(10.3, 0.6, n), rng.lognormal(9, 0.8, n)
    months, late = rng.integers(6, 72, n), rng.poisson(0.6, n)
    purpose = rng.choice(["car", "home", "study", "business", "other"], n)
    hidden = rng.random(n) < 0.15
    burden = 12 * amount / (months * income)
    logit = 2.2 * (burden > 0.35) + 0.6 * np.minimum(late, 3) + 1.1 * hidden
    logit += 1.2 * (purpose == "business") * (late > 0) - 0.8 * (purpose == "home")
    logit += 0.5 * np.sin(months / 8) + rng.normal(size=n) * 0.5
    frame = pd.DataFrame(
        {
            "income": np.where(hidden, np.nan, income.round()),
            "amount": amount.round(),
            "months": months,
            "late payments": late,
            "purpose": purpose,
            "phone": rng.choice(["yes", "no"], n),
            "exposure": rng.gamma(2, 0.5, n).round(3) + 0.01,
            "default": np.where(drawn(rng, 1.3 * logit, 0.12), 1, 0),
        }
    )
    options = ("--weights", "exposure")
    aside = ("exposure",)
    return Trial(*cut(frame, 10_000), "default", "1", options, aside=aside, weights="exposure")


def payments(rng: np.random.Generator) -> Trial:
    """Payments in the order of time, of which 1 % are fraud, by other means as time goes on."""
    n = 30_000 + 20_000
    minute = np.sort(rng.integers(0, 366 * 24 * 60, n))
    amount, devices = rng.lognormal(3.5, 1.1, n), rng.poisson(1.5, n)
    hour, year = (minute // 60) % 24, minute / minute.max()
    country = rng.choice(["DE", "FR", "PL", "NL", "ES", "MT", "CY"], n, p=(*[0.18] * 5, 0.05, 0.05))
    known = rng.random(n) < 0.7
    logit = 0.9 * np.log(amount) * ~known + 1.6 * (hour < 5) * (devices > 1) - 1.0 * known
    logit += (1 + year) * np.isin(country, ("MT", "CY")) + 0.4 * devices * (amount > 60)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(minute, unit="min")
    frame = pd.DataFrame(
        {
            "ts": when.strftime("%Y-%m-%d %H:%M"),
            "amount": amount.round(2),
            "hour": hour,
            "devices": devices,
            "country": np.where(rng.random(n) < 0.02, "", country),
            "known": np.where(known, "true", "false"),
            "score of provider": gaps(rng, rng.normal(size=n) + 0.4 * logit, 0.3),
            "fraud": np.where(drawn(rng, 1.1 * logit, 0.01), "yes", "no"),
        }
    )
    options = ("--time", "ts", "--flags", "50", "--per", "10000")
    return Trial(*cut(frame, 30_000), "fraud", "yes", options, aside=("ts",))


def survey(rng: np.random.Generator, negative: Any, positive: Any) -> pd.DataFrame:
    """Answers of 2000 and more people, mostly linear, with these two labels."""
    n = 2000 + LATER
    satisfied, price = rng.integers(1, 6, n), rng.normal(50, 15, n)
    tenure, calls = rng.gamma(1.5, 20, n), rng.poisson(1, n)
    plan = rng.choice(["basic", "plus", "pro"], n)
    logit = -0.7 * satisfied + 0.02 * price - 0.02 * tenure + 0.5 * calls + 0.6 * (plan == "basic")
    logit += 0.8 * (calls > 2) * (satisfied < 3)
    return pd.DataFrame(
        {
            "satisfied": gaps(rng, satisfied, 0.05),
            "price": price.round(2),
            "tenure": tenure.round(1),
            "calls": calls,
            "plan": plan,
            "left": np.where(drawn(rng, logit, 0.3), positive, negative),
        }
    )


def two_labels(
    negative: Any, positive: Any, *options: str, unlabelled: float = 0.0
) -> Callable[[np.random.Generator], Trial]:
    """Return the survey with these labels, of which a share is missing where it is learnt from."""

    def made(rng: np.random.Generator) -> Trial:
        train, held = cut(survey(rng, negative, positive), 2000)
        if unlabelled:
            unknown = rng.random(len(train)) < unlabelled
            train["left"] = train["left"].where(~unknown, "")
        return Trial(train, held, "left", str(positive), options)

    return made


def three_classes(rng: np.random.Generator) -> Trial:
    """Three classes, of which one is looked for."""
    n = 3000 + LATER
    x = rng.normal(size=(n, 8))
    depth = x[:, 0] * x[:, 1] + (x[:, 2] > 0.5) + 0.5 * x[:, 3] + 0.6 * rng.normal(size=n)
    risk = np.array(["low", "medium", "high"])[np.digitize(depth, (0.3, 1.4))]
    frame = pd.DataFrame(x.round(3), columns=[f"sensor {j}" for j in range(8)])
    frame["risk"] = risk
    options = ("--positive", "high", "--negative", "rest")
    return Trial(*cut(frame, 3000), "risk", "high", options)


def ambiguous(rng: np.random.Generator) -> Trial:
    """Labels A and B, in a table with two columns that could be the label."""
    n = 1500 + LATER
    x = rng.normal(size=(n, 10))
    logit = x[:, 0] + 0.8 * x[:, 1] - 0.6 * x[:, 2] + 0.7 * np.abs(x[:, 3])
    frame = pd.DataFrame(x.round(3), columns=[f"x{j}" for j in range(10)])
    frame["group"] = rng.choice(["A", "B"], n)
    frame["outcome"] = np.where(drawn(rng, logit, 0.4), "B", "A")
    return Trial(*cut(frame, 1500), "outcome", "B", ("--positive", "B"))


def wide(rng: np.random.Generator) -> Trial:
    """1000 rows and 2000 columns, of which 30 matter and 400 are constant."""
    n, d = 1000 + 5000, 2000
    x = rng.normal(size=(n, d))
    x[:, 1600:] = 1.0
    x[:, :30] += 0.5 * rng.normal(size=(n, 1))
    logit = x[:, :30] @ np.linspace(0.6, 0.1, 30)
    frame = pd.DataFrame(x.round(3), columns=[f"gene {j}" for j in range(d)])
    frame = pd.concat(
        [frame, pd.Series(np.where(drawn(rng, logit, 0.3), 1, 0), name="ill")], axis=1
    )
    return Trial(*cut(frame, 1000), "ill", "1")


def long(rng: np.random.Generator) -> Trial:
    """200 000 rows and 30 columns: interactions, thresholds, a missing cell that informs."""
    n, d = 200_000 + 50_000, 30
    x = rng.normal(size=(n, 24))
    shop, channel = rng.integers(0, 40, n), rng.choice(["web", "app", "phone"], n)
    effect = 0.6 * rng.normal(size=40)
    gap = rng.random(n) < 1 / (1 + np.exp(1.5 - x[:, 5]))
    logit = x[:, 0] * x[:, 1] + (x[:, 2] > 0) * x[:, 3] + np.sin(2 * x[:, 4]) + effect[shop]
    logit += 0.8 * gap + 0.5 * x[:, 6] + 0.7 * (np.abs(x[:, 7]) > 1) * (channel == "web")
    more = {f"count {j}": rng.poisson(2, n) for j in range(d - 26)}
    frame = pd.DataFrame(x.round(4), columns=[f"value {j}" for j in range(24)])
    frame["value 5"] = np.where(gap, np.nan, frame["value 5"])
    frame = frame.assign(shop=[f"S{s:02d}" for s in shop], channel=channel, **more)
    frame["bought"] = np.where(drawn(rng, logit, 0.1), "yes", "no")
    return Trial(*cut(frame, 200_000), "bought", "yes")


TABLES: dict[str, Callable[[np.random.Generator], Trial]] = {
    "shop": shop,
    "hospital": hospital,
    "credit": credit,
    "payments": payments,
    "Y/N": two_labels("N", "Y"),
    "good/bad": two_labels("good", "bad", "--positive", "bad"),
    "1/2": two_labels(1, 2, "--positive", "2"),
    "True/False": two_labels("False", "True", "--unlabelled", "skip", unlabelled=0.04),
    "three classes": three_classes,
    "ambiguous": ambiguous,
    "1000 x 2000": wide,
    "200000 x 30": long,
}


def trial(name: str, seed: int = 0) -> Trial:
    """Return the table of a name; the same seed gives the same table."""
    return TABLES[name](np.random.default_rng([seed, [*TABLES].index(name)]))
