// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/fsdpplan.h"

#include "trainer/failure.h"
#include "trainer/models/parameters.h"

#include <algorithm>

namespace lockstep::trainer {

namespace {

struct NamedBlock {
    std::string name;
    const Block* block;
};

// A unit before it is known whether it has parameters at all.
struct Group {
    std::vector<NamedBlock> blocks; // none: the root
    std::vector<std::size_t> parameters;
};

bool within(const std::string& name, const std::string& module)
{
    return name.size() > module.size() && name.starts_with(module) && name[module.size()] == '.';
}

std::vector<NamedBlock> outermostBlocks(const Model& model)
{
    std::vector<NamedBlock> blocks;
    for (const auto& item : model.named_modules()) { // an outer module comes before those within it
        const auto* block = dynamic_cast<const Block*>(item.value().get());
        const auto known = [&](const NamedBlock& other) {
            return other.block == block || within(item.key(), other.name);
        };
        if (block != nullptr && std::ranges::none_of(blocks, known))
            blocks.push_back({item.key(), block});
    }
    return blocks;
}

double mibOf(const Block& block)
{
    std::int64_t elements = 0;
    for (const auto& [name, parameter] : distinctParameters(block))
        elements += parameter.numel();
    return static_cast<double>(elements) * sizeof(float) / (1 << 20);
}

std::vector<Group> groupBlocks(const std::vector<NamedBlock>& blocks, FsdpUnits rule, double limit)
{
    std::vector<Group> groups(1);
    double filled = 0;
    for (const NamedBlock& block : blocks) {
        const double mib = mibOf(*block.block);
        if (rule == FsdpUnits::Blocks || groups.size() == 1 || filled + mib > limit) {
            groups.emplace_back();
            filled = 0;
        }
        groups.back().blocks.push_back(block);
        filled += mib;
    }
    return groups;
}

std::size_t groupOf(const std::string& parameter, const std::vector<Group>& groups)
{
    for (std::size_t i = 1; i < groups.size(); ++i) {
        if (std::ranges::any_of(groups[i].blocks,
                                [&](const NamedBlock& block) { return within(parameter, block.name); }))
            return i;
    }
    return 0;
}

std::string nameOf(const Group& group)
{
    if (group.blocks.empty())
        return "root";
    if (group.blocks.size() == 1)
        return group.blocks.front().name;
    return group.blocks.front().name + " to " + group.blocks.back().name;
}

[[noreturn]] void refuseInTwoUnits(const std::string& name, const Group& group, const std::string& otherName,
                                   const Group& otherGroup)
{
    throw Failure(ExitCode::Options, "--strategy fsdp: the model's " + name + " and " + otherName +
                                         " are one tensor, in the units " + nameOf(group) + " and " +
                                         nameOf(otherGroup) +
                                         ", and only one of them can gather it; register it outside of all blocks, or "
                                         "take --strategy ddp");
}

} // namespace

FsdpPlan planFsdp(const Model& model, const FsdpOptions& options)
{
    FsdpPlan plan;
    std::vector<Group> groups = groupBlocks(outermostBlocks(model), options.units, options.unitMib);
    std::unordered_map<const void*, std::pair<std::string, std::size_t>> known; // name and group of each tensor
    for (const auto& item : model.named_parameters()) {
        const at::Tensor& parameter = item.value();
        const std::size_t group = groupOf(item.key(), groups);
        const auto [at, isNew] = known.try_emplace(parameter.unsafeGetTensorImpl(), item.key(), group);
        const auto& [firstName, firstGroup] = at->second;
        if (!isNew && firstGroup != group && parameter.requires_grad())
            refuseInTwoUnits(firstName, groups[firstGroup], item.key(), groups[group]);
        if (!isNew)
            continue;
        if (!parameter.requires_grad()) {
            plan.frozen.push_back(parameter);
            continue;
        }
        groups[group].parameters.push_back(plan.parameters.size());
        plan.parameters.push_back(parameter);
        plan.names.push_back(item.key());
    }
    for (Group& group : groups) {
        if (group.parameters.empty())
            continue;
        for (const NamedBlock& block : group.blocks)
            plan.unitOf[block.block] = plan.units.size();
        if (group.blocks.empty())
            plan.root = plan.units.size();
        plan.units.push_back(
            {nameOf(group), std::move(group.parameters), group.blocks.empty() ? nullptr : group.blocks.back().block});
    }
    return plan;
}

} // namespace lockstep::trainer
