// SPDX-License-Identifier: GPL-3.0-or-later
// Puts this test program into a network of its own, in which 10.77.0.0/24 is this machine, so that several made nodes
// have addresses of their own and nothing leaves the test. Works as root and as an ordinary user.
#pragma once

namespace lockstep::test {

// First thing in main, before there is a thread. Ends the program with a sentence when the kernel refuses.
void enterOwnNetwork();

} // namespace lockstep::test
