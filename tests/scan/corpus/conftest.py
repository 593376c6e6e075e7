# SPDX-License-Identifier: Apache-2.0
"""Samples for the scan. Some are malicious, and pytest runs what it collects: it must not begin."""
import pytest

raise pytest.UsageError("tests/scan/corpus has samples, some of them malicious; pytest must not collect them")
