// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/picklekinds.h"

#include <algorithm>
#include <array>

namespace lockstep::trainer::picklekind {

namespace {

constexpr std::array<std::string_view, 3> kKnown{"collections.OrderedDict", "torch._utils._rebuild_tensor_v2",
                                                 "torch._utils._rebuild_parameter"};

bool isStorageType(std::string_view name)
{
    return name.starts_with("torch.") && name.ends_with("Storage");
}

std::optional<std::vector<std::int64_t>> wholes(const PickleDocument::Value& value)
{
    const auto* list = std::get_if<PickleDocument::List>(&value.held);
    if (list == nullptr)
        return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (const PickleDocument::Value* element : *list) {
        const auto* whole = std::get_if<std::int64_t>(&element->held);
        if (whole == nullptr || *whole < 0)
            return std::nullopt;
        numbers.push_back(*whole);
    }
    return numbers;
}

} // namespace

bool isKnown(std::string_view name)
{
    return std::ranges::find(kKnown, name) != kKnown.end() || isStorageType(name);
}

// ('storage', torch.FloatStorage, key, location, elements)
std::optional<PickleDocument::Storage> storage(const PickleDocument::List& id)
{
    if (id.size() != 5)
        return std::nullopt;
    const auto* type = std::get_if<PickleDocument::Named>(&id[1]->held);
    const auto* key = std::get_if<std::string>(&id[2]->held);
    const auto* elements = std::get_if<std::int64_t>(&id[4]->held);
    if (type == nullptr || key == nullptr || elements == nullptr || !isStorageType(type->name) || *elements < 0)
        return std::nullopt;
    return PickleDocument::Storage{type->name.substr(type->name.find('.') + 1), *key, *elements};
}

// (storage, offset, sizes, strides, ...)
std::optional<StoredTensor> tensor(const PickleDocument::List& arguments)
{
    if (arguments.size() < 4)
        return std::nullopt;
    const auto* storage = std::get_if<PickleDocument::Storage>(&arguments[0]->held);
    const auto* offset = std::get_if<std::int64_t>(&arguments[1]->held);
    auto sizes = wholes(*arguments[2]);
    auto strides = wholes(*arguments[3]);
    if (storage == nullptr || offset == nullptr || *offset < 0 || !sizes || !strides ||
        sizes->size() != strides->size())
        return std::nullopt;
    return StoredTensor{storage->type, storage->key,      storage->elements,
                        *offset,       std::move(*sizes), std::move(*strides)};
}

} // namespace lockstep::trainer::picklekind
