// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors in a PyTorch zip archive: a pickle that describes them and one entry of bytes for each.
#pragma once

#include "trainer/checkpoint/pickle.h"
#include "trainer/checkpoint/ziparchive.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lockstep::trainer {

class TensorArchiveWriter {
public:
    explicit TensorArchiveWriter(const std::string& path) : m_zip(path) {}

    [[nodiscard]] PickleWriter& pickle() { return m_pickle; }
    void tensor(const at::Tensor& tensor); // describes it in the pickle and keeps it for commit()
    void commit();

private:
    ZipWriter m_zip;
    PickleWriter m_pickle;
    std::vector<at::Tensor> m_tensors; // contiguous, on the CPU
};

class TensorArchiveReader {
public:
    explicit TensorArchiveReader(const std::string& path);

    [[nodiscard]] const PickleDocument::Value& root() const { return m_pickle.root(); }
    // A copy; throws Failure(Checkpoint) when it is no tensor or its bytes are not all there. `name` is for the
    // sentence.
    [[nodiscard]] at::Tensor tensor(const PickleDocument::Value& value, const std::string& name) const;

private:
    std::string m_path;
    ZipReader m_zip;
    PickleDocument m_pickle;
};

} // namespace lockstep::trainer
