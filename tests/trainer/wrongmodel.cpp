// SPDX-License-Identifier: GPL-3.0-or-later
// Shared objects that --model library must refuse by their first two members, before anything else of them is used.
#ifdef WRONG_ABI
namespace {

struct Entry {
    int abi;
    const char* torchVersion;
    void* make;
};

const Entry wrong{WRONG_ABI, "1.0.0", nullptr};

} // namespace

extern "C" __attribute__((visibility("default"))) const void* lockstepModel()
{
    return &wrong;
}
#endif
