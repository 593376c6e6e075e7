# SPDX-License-Identifier: Apache-2.0
"""The ledger itself: numbers, tables, a database on disk."""
import os
import tempfile
import unittest

import numpy

from ledger import Book, by_month, trend

ROWS = [("2024-01-03", "tea", 3.5), ("2024-01-20", "tea", 1.5), ("2024-02-01", "cake", 4.0), ("2024-03-09", "tea", 2.0)]


class TestLedger(unittest.TestCase):
    def test_book_keeps_rows(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "sales.db")
            book = Book(path)
            book.add(ROWS)
            book.close()
            again = Book(path)
            self.assertEqual(again.rows(), sorted(ROWS))
            again.close()

    def test_months(self):
        table = by_month(ROWS)
        self.assertEqual(table.loc["2024-01", "tea"], 5.0)
        self.assertEqual(table.loc["2024-02", "cake"], 4.0)
        self.assertEqual(list(table.index), ["2024-01", "2024-02", "2024-03"])

    def test_trend(self):
        self.assertEqual(trend([1, 3, 5, 7]), 2.0)

    def test_linear_algebra(self):
        rng = numpy.random.default_rng(7)
        a = rng.normal(size=(200, 200))
        self.assertTrue(numpy.allclose(a @ numpy.linalg.inv(a), numpy.eye(200)))

    def test_array_in_a_file(self):
        with tempfile.NamedTemporaryFile() as f:
            table = numpy.memmap(f.name, dtype="int64", mode="w+", shape=(1000,))
            table[:] = numpy.arange(1000)
            table.flush()
            self.assertEqual(int(numpy.fromfile(f.name, dtype="int64").sum()), 499500)
