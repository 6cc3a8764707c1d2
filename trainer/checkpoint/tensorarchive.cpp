// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/tensorarchive.h"

#include "trainer/checkpoint/tensortypes.h"
#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>

namespace lockstep::trainer {

namespace {

constexpr char kFolder[] = "archive/";
constexpr std::string_view kArchiveVersion = "3\n";
constexpr std::string_view kByteOrder = "little";
constexpr std::size_t kMostDimensions = 64;

std::span<const std::byte> bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

// Whether every element lies among the storage's.
bool fits(const StoredTensor& stored, std::int64_t elements)
{
    if (stored.offset > elements)
        return false;
    std::int64_t last = stored.offset; // the element that is farthest back
    std::int64_t count = 1;
    bool empty = false;
    for (std::size_t i = 0; i < stored.sizes.size(); ++i) {
        const std::int64_t size = stored.sizes[i];
        const std::int64_t stride = stored.strides[i];
        empty = empty || size == 0;
        if (size > 1 && stride > 0 && size - 1 > (elements - last) / stride)
            return false;
        if (__builtin_mul_overflow(count, std::max<std::int64_t>(size, 1), &count))
            return false; // a stride of 0 repeats an element: so many that they cannot be counted
        last += size > 1 ? (size - 1) * stride : 0;
    }
    return empty || last < elements;
}

} // namespace

at::Tensor viewOf(std::span<const std::byte> bytes, at::ScalarType type)
{
    const std::size_t width = at::elementSize(type);
    const auto elements = static_cast<std::int64_t>(bytes.size() / width);
    const auto options = at::TensorOptions().dtype(type);
    if (elements > 0 && reinterpret_cast<std::uintptr_t>(bytes.data()) % width == 0)
        return at::from_blob(const_cast<std::byte*>(bytes.data()), {elements}, options); // nobody writes there
    at::Tensor copy = at::empty({elements}, options);
    std::ranges::copy_n(bytes.begin(), static_cast<std::ptrdiff_t>(copy.nbytes()),
                        static_cast<std::byte*>(copy.mutable_data_ptr()));
    return copy;
}

at::Tensor onCpu(const at::Tensor& tensor)
{
    return tensor.detach().to(at::kCPU).contiguous();
}

std::span<const std::byte> bytesOf(const at::Tensor& onCpu)
{
    return {static_cast<const std::byte*>(onCpu.const_data_ptr()), onCpu.nbytes()};
}

StoredTensor TensorArchiveWriter::add(const at::Tensor& tensor)
{
    const at::Tensor plain = onCpu(tensor);
    StoredTensor stored{std::string(typeOf(plain).storage),
                        std::to_string(m_count++),
                        plain.numel(),
                        0,
                        plain.sizes().vec(),
                        plain.strides().vec()};
    m_zip.add(std::string(kFolder) + "data/" + stored.key, bytesOf(plain));
    return stored;
}

void TensorArchiveWriter::commit(PickleWriter& pickle)
{
    const std::string folder = kFolder;
    m_zip.add(folder + "data.pkl", bytesOf(pickle.finish()));
    m_zip.add(folder + "byteorder", bytesOf(kByteOrder));
    m_zip.add(folder + "version", bytesOf(kArchiveVersion));
    m_zip.commit();
}

TensorArchiveReader::TensorArchiveReader(const std::string& path)
    : m_path(path), m_zip(path), m_pickle(m_zip.content(m_zip.folder() + "/data.pkl"), path)
{
    const std::string order = m_zip.folder() + "/byteorder";
    if (!m_zip.has(order))
        return;
    const auto bytes = m_zip.content(order);
    if (!std::ranges::equal(bytes, bytesOf(kByteOrder)))
        throw Failure(ExitCode::Checkpoint, "cannot read " + path + ": it was written on a big-endian machine");
}

at::Tensor TensorArchiveReader::tensor(const PickleDocument::Value& value, const std::string& name) const
{
    const auto refuse = [&](const std::string& why) {
        return Failure(ExitCode::Checkpoint, "cannot read " + m_path + ": " + name + " " + why);
    };
    const auto* stored = std::get_if<StoredTensor>(&value.held);
    if (stored == nullptr)
        throw refuse("is no tensor");
    const TensorType* type = typeOfStorage(stored->storageType);
    if (type == nullptr)
        throw refuse("has the type " + stored->storageType + ", which is not known");
    const at::Tensor storage = viewOf(m_zip.content(m_zip.folder() + "/data/" + stored->key), type->type);
    if (stored->sizes.size() > kMostDimensions || !fits(*stored, storage.numel()))
        throw refuse("lies outside its storage");
    return storage.as_strided(stored->sizes, stored->strides, stored->offset);
}

} // namespace lockstep::trainer
