# SPDX-License-Identifier: Apache-2.0
"""Sums and trends of a ledger's rows."""
import numpy
import pandas


def by_month(rows):
    """A table of months and items."""
    frame = pandas.DataFrame(rows, columns=["day", "item", "amount"])
    frame["month"] = pandas.to_datetime(frame["day"]).dt.to_period("M").astype(str)
    return frame.pivot_table(index="month", columns="item", values="amount", aggfunc="sum", fill_value=0.0)


def trend(values):
    """Slope of the line through VALUES."""
    slope, _ = numpy.polyfit(numpy.arange(len(values)), numpy.asarray(values, dtype=float), 1)
    return float(round(slope, 9))
