# SPDX-License-Identifier: Apache-2.0
"""Runs every test and prints one line each, without times, so that two runs can be compared byte for byte."""
import sys
import unittest


class Lines(unittest.TestResult):
    def addSuccess(self, test):
        print("ok", test.id(), flush=True)

    def addError(self, test, err):
        super().addError(test, err)
        print("ERROR", test.id(), self.errors[-1][1], flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print("FAILED", test.id(), self.failures[-1][1], flush=True)


if __name__ == "__main__":
    result = Lines()
    unittest.defaultTestLoader.discover("tests", top_level_dir=".").run(result)
    print(result.testsRun, "tests", len(result.errors) + len(result.failures), "failed")
    sys.exit(not result.wasSuccessful() or result.testsRun == 0)
