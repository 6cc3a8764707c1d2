// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/tensorarchive.h"

#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <span>

namespace lockstep::trainer {

namespace {

constexpr char kFolder[] = "archive/";
constexpr std::string_view kArchiveVersion = "3\n";
constexpr std::string_view kByteOrder = "little";
constexpr std::size_t kMostDimensions = 64;

struct StorageType {
    std::string_view name;
    at::ScalarType type;
};
constexpr std::array kStorageTypes{
    StorageType{"FloatStorage", at::kFloat}, StorageType{"DoubleStorage", at::kDouble},
    StorageType{"HalfStorage", at::kHalf},   StorageType{"BFloat16Storage", at::kBFloat16},
    StorageType{"LongStorage", at::kLong},   StorageType{"IntStorage", at::kInt},
    StorageType{"ShortStorage", at::kShort}, StorageType{"CharStorage", at::kChar},
    StorageType{"ByteStorage", at::kByte},   StorageType{"BoolStorage", at::kBool},
};

std::span<const std::byte> bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::span<const std::byte> bytesOf(const at::Tensor& tensor)
{
    return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

} // namespace

void TensorArchiveWriter::tensor(const at::Tensor& tensor)
{
    const at::Tensor plain = tensor.detach().to(at::kCPU).contiguous();
    const auto type = std::ranges::find(kStorageTypes, plain.scalar_type(), &StorageType::type);
    if (type == kStorageTypes.end())
        throw Failure(ExitCode::Checkpoint,
                      std::string("tensors of the type ") + toString(plain.scalar_type()) + " cannot be saved");
    m_pickle.tensor({std::string(type->name), std::to_string(m_tensors.size()), plain.numel(), 0, plain.sizes().vec(),
                     plain.strides().vec()});
    m_tensors.push_back(plain);
}

void TensorArchiveWriter::commit()
{
    const std::string folder = kFolder;
    const std::string pickle = m_pickle.finish();
    m_zip.add(folder + "data.pkl", bytesOf(pickle));
    m_zip.add(folder + "byteorder", bytesOf(kByteOrder));
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        m_zip.add(folder + "data/" + std::to_string(i), bytesOf(m_tensors[i]));
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
    const auto type = std::ranges::find(kStorageTypes, stored->storageType, &StorageType::name);
    if (type == kStorageTypes.end())
        throw refuse("has the type " + stored->storageType + ", which is not known");
    const auto bytes = m_zip.content(m_zip.folder() + "/data/" + stored->key);
    const auto elements = static_cast<std::int64_t>(bytes.size() / at::elementSize(type->type));
    if (stored->sizes.size() > kMostDimensions || stored->offset > elements)
        throw refuse("lies outside its storage");

    std::int64_t last = stored->offset; // the element that is farthest back
    bool empty = false;
    for (std::size_t i = 0; i < stored->sizes.size(); ++i) {
        const std::int64_t size = stored->sizes[i];
        const std::int64_t stride = stored->strides[i];
        empty = empty || size == 0;
        if (size > 1 && stride > 0 && size - 1 > (elements - last) / stride)
            throw refuse("lies outside its storage");
        last += size > 1 ? (size - 1) * stride : 0;
    }
    if (!empty && last >= elements)
        throw refuse("lies outside its storage");
    if (empty)
        return at::empty(stored->sizes, at::TensorOptions().dtype(type->type));
    // A zip entry need not be aligned for the type, so the storage is copied as bytes first.
    at::Tensor storage = at::empty({elements}, at::TensorOptions().dtype(type->type));
    std::ranges::copy_n(bytes.begin(), static_cast<std::ptrdiff_t>(storage.nbytes()),
                        static_cast<std::byte*>(storage.mutable_data_ptr()));
    return storage.as_strided(stored->sizes, stored->strides, stored->offset).contiguous();
}

} // namespace lockstep::trainer
