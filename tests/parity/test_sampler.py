#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sampler's stored vectors are those of Python's DistributedSampler."""
import os
import subprocess
import sys
import unittest

import harness


class Sampler(unittest.TestCase):
    def test_the_vectors_are_pythons(self):
        folder = os.path.join(harness.SOURCE, "tests", "trainer")
        made = subprocess.run([sys.executable, os.path.join(folder, "sampler_vectors.py")], check=True, capture_output=True).stdout
        self.assertEqual(made, harness.read(os.path.join(folder, "sampler_vectors.txt")))


if __name__ == "__main__":
    unittest.main()
