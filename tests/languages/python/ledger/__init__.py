# SPDX-License-Identifier: Apache-2.0
"""A ledger of sales: read, sum up by month, keep in a database."""
from .book import Book
from .report import by_month, trend

__all__ = ["Book", "by_month", "trend"]
