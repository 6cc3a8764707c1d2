// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors in a PyTorch zip archive: an entry of bytes for each, and a pickle that describes them. The bytes are written
// as they come, the pickle after them, so that no more than one tensor need be whole in memory.
#pragma once

#include "trainer/checkpoint/pickle.h"
#include "trainer/checkpoint/ziparchive.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep::trainer {

class TensorArchiveWriter {
public:
    explicit TensorArchiveWriter(const std::string& path) : m_zip(path) {}

    [[nodiscard]] StoredTensor add(const at::Tensor& tensor); // writes its bytes; the answer goes into the pickle
    void commit(PickleWriter& pickle);
    [[nodiscard]] std::uint64_t bytes() const { return m_zip.bytes(); }

private:
    ZipWriter m_zip;
    std::int64_t m_count = 0;
};

class TensorArchiveReader {
public:
    explicit TensorArchiveReader(const std::string& path); // throws Failure(Checkpoint)

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] const PickleDocument::Value& root() const { return m_pickle.root(); }
    // A view of the mapped file, on the CPU: to be read, and only as long as this reader lives. Throws
    // Failure(Checkpoint) when it is no tensor, or its bytes are not all there or damaged; `name` is for the sentence.
    [[nodiscard]] at::Tensor tensor(const PickleDocument::Value& value, const std::string& name) const;

private:
    std::string m_path;
    ZipReader m_zip;
    PickleDocument m_pickle;
};

// A tensor over read-only bytes, of whose place nothing is known: copied when its type needs another alignment.
[[nodiscard]] at::Tensor viewOf(std::span<const std::byte> bytes, at::ScalarType type);
[[nodiscard]] at::Tensor onCpu(const at::Tensor& tensor); // contiguous; itself where it is so already
[[nodiscard]] std::span<const std::byte> bytesOf(const at::Tensor& onCpu);

} // namespace lockstep::trainer
