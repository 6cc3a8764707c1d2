// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/pickle.h"

#include "trainer/checkpoint/pickleopcodes.h"
#include "trainer/checkpoint/zipformat.h"

#include <bit>
#include <limits>

namespace lockstep::trainer {

namespace {

constexpr char kProtocol = 2; // torch.save's default

std::string global(std::string_view module, std::string_view name)
{
    return opcode::kGlobal + std::string(module) + "\n" + std::string(name) + "\n";
}

} // namespace

PickleWriter::PickleWriter() : m_out{opcode::kProto, kProtocol} {}

void PickleWriter::beginDict()
{
    m_out += opcode::kEmptyDict;
    m_out += opcode::kMark;
}

void PickleWriter::beginOrderedDict()
{
    m_out += global("collections", "OrderedDict");
    m_out += opcode::kEmptyTuple;
    m_out += opcode::kReduce;
    m_out += opcode::kMark;
}

void PickleWriter::endDict()
{
    m_out += opcode::kSetItems;
}

void PickleWriter::beginList()
{
    m_out += opcode::kEmptyList;
    m_out += opcode::kMark;
}

void PickleWriter::endList()
{
    m_out += opcode::kAppends;
}

void PickleWriter::text(std::string_view value)
{
    m_out += opcode::kBinUnicode;
    zip::append(m_out, static_cast<std::uint32_t>(value.size()));
    m_out += value;
}

void PickleWriter::integer(std::int64_t value)
{
    if (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()) {
        m_out += opcode::kBinInt;
        zip::append(m_out, static_cast<std::int32_t>(value));
        return;
    }
    m_out += opcode::kLong1;
    m_out += static_cast<char>(sizeof value);
    zip::append(m_out, value);
}

void PickleWriter::real(double value)
{
    m_out += opcode::kBinFloat;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 56; shift >= 0; shift -= 8) // the one big-endian number of the format
        m_out += static_cast<char>(bits >> shift & 0xff);
}

void PickleWriter::none()
{
    m_out += opcode::kNone;
}

void PickleWriter::truth(bool value)
{
    m_out += value ? opcode::kNewTrue : opcode::kNewFalse;
}

// torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks); the storage is a persistent
// id.
void PickleWriter::tensor(const StoredTensor& tensor)
{
    m_out += global("torch._utils", "_rebuild_tensor_v2");
    m_out += opcode::kMark;
    m_out += opcode::kMark;
    text("storage");
    m_out += global("torch", tensor.storageType);
    text(tensor.key);
    text("cpu");
    integer(tensor.storageElements);
    m_out += opcode::kTuple;
    m_out += opcode::kBinPersId;
    integer(tensor.offset);
    tuple(tensor.sizes);
    tuple(tensor.strides);
    truth(false);
    beginOrderedDict();
    endDict();
    m_out += opcode::kTuple;
    m_out += opcode::kReduce;
}

std::string PickleWriter::finish()
{
    m_out += opcode::kStop;
    return std::move(m_out);
}

void PickleWriter::tuple(const std::vector<std::int64_t>& values)
{
    m_out += opcode::kMark;
    for (const std::int64_t value : values)
        integer(value);
    m_out += opcode::kTuple;
}

} // namespace lockstep::trainer
