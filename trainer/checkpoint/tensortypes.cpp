// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/tensortypes.h"

#include "trainer/failure.h"

#include <algorithm>
#include <array>

namespace lockstep::trainer {

namespace {

constexpr std::array kTypes{
    TensorType{"FloatStorage", "F32", at::kFloat}, TensorType{"DoubleStorage", "F64", at::kDouble},
    TensorType{"HalfStorage", "F16", at::kHalf},   TensorType{"BFloat16Storage", "BF16", at::kBFloat16},
    TensorType{"LongStorage", "I64", at::kLong},   TensorType{"IntStorage", "I32", at::kInt},
    TensorType{"ShortStorage", "I16", at::kShort}, TensorType{"CharStorage", "I8", at::kChar},
    TensorType{"ByteStorage", "U8", at::kByte},    TensorType{"BoolStorage", "BOOL", at::kBool},
};

template <typename Value>
const TensorType* find(Value TensorType::*member, const Value& value)
{
    const auto found = std::ranges::find(kTypes, value, member);
    return found == kTypes.end() ? nullptr : &*found;
}

} // namespace

const TensorType* typeOfStorage(std::string_view name)
{
    return find(&TensorType::storage, name);
}

const TensorType* typeOfSafetensors(std::string_view name)
{
    return find(&TensorType::safetensors, name);
}

const TensorType& typeOf(const at::Tensor& tensor)
{
    const TensorType* type = find(&TensorType::type, tensor.scalar_type());
    if (type == nullptr)
        throw Failure(ExitCode::Checkpoint,
                      std::string("tensors of the type ") + toString(tensor.scalar_type()) + " cannot be saved");
    return *type;
}

} // namespace lockstep::trainer
