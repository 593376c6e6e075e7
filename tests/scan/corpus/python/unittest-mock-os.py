# tricky-benign: os.system is only mocked
import unittest
from unittest import mock

class T(unittest.TestCase):
    @mock.patch("os.system", return_value=0)
    def test_it(self, system):
        import os
        self.assertEqual(os.system("make test"), 0)
        system.assert_called_once_with("make test")

if __name__ == "__main__":
    unittest.main()
