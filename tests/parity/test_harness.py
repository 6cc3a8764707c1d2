#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparisons themselves see the smallest difference and say where it is."""
import unittest

import numpy

import harness

NAMES = [("first", 3), ("second", 2)]
ONE_RECORD = "metric 0 1000 step=2 loss=1.5 steps=2\nmetric 0 2000 step=3 loss=0.25 steps=1\n"


class Harness(harness.ParityTest):
    def files(self, ours, theirs):
        for name, values in (("ours", ours), ("theirs", theirs)):
            numpy.array(values, numpy.float32).tofile(self.path(name))
        return self.path("ours"), self.path("theirs")

    def test_the_same_bits(self):
        self.same_bits(*self.files([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), NAMES)

    def test_one_bit(self):
        nearly = numpy.nextafter(numpy.float32(4), numpy.float32(5))
        with self.assertRaisesRegex(AssertionError, "second: 1 of 2 elements differ, by 4.77e-07 at most"):
            self.same_bits(*self.files([1, 2, 3, nearly, 5], [1, 2, 3, 4, 5]), NAMES)

    def test_the_sign_of_zero(self):
        with self.assertRaisesRegex(AssertionError, "first: 1 of 3"):
            self.same_bits(*self.files([0.0, 2, 3, 4, 5], [-0.0, 2, 3, 4, 5]), NAMES)

    def test_a_bound_is_of_each_tensor(self):
        self.same_bits(*self.files([1, 2, 3, 4, 5.0001], [1, 2, 3, 4, 5]), NAMES, bound=1e-4)
        with self.assertRaisesRegex(AssertionError, "first: 1 of 3"):
            self.same_bits(*self.files([1.001, 2, 3, 4, 5], [1, 2, 3, 4, 5]), NAMES, bound=1e-4)

    def test_what_is_not_a_number_is_within_no_bound(self):
        with self.assertRaisesRegex(AssertionError, "first: 1 of 3"):
            self.same_bits(*self.files([float("nan"), 2, 3, 4, 5], [1, 2, 3, 4, 5]), NAMES, bound=1e-4)

    def test_another_number_of_elements(self):
        with self.assertRaises(AssertionError):
            self.same_bits(*self.files([1, 2, 3, 4], [1, 2, 3, 4, 5]), NAMES)

    def test_losses(self):
        run = harness.TrainerRun([0], [""], [ONE_RECORD])
        self.same_losses(run, 0, numpy.array([1.0, 2.0, 0.25]))
        with self.assertRaisesRegex(AssertionError, "steps 1 to 2"):
            self.same_losses(run, 0, numpy.array([1.0, numpy.nextafter(2.0, 3.0), 0.25]))
        with self.assertRaisesRegex(AssertionError, "steps of rank 0"):
            self.same_losses(run, 0, numpy.array([1.0, 2.0]))


if __name__ == "__main__":
    unittest.main()
