// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/comparison.h"

#include <algorithm>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kMostDifferences = 6; // in a message
constexpr std::size_t kMostValues = 4;      // of one of them
constexpr int kMostRanges = 16;

std::string valueIn(const Statement& statement, const std::string& name)
{
    const auto found = std::ranges::find(statement, name, &Statement::value_type::first);
    return found == statement.end() ? "missing" : found->second;
}

std::string difference(const std::vector<Statement>& statements, const std::string& name)
{
    std::vector<std::pair<std::string, std::vector<int>>> groups; // ranks by value, in the order of the first
    for (std::size_t rank = 0; rank < statements.size(); ++rank) {
        const std::string value = valueIn(statements[rank], name);
        auto group = std::ranges::find(groups, value, &std::pair<std::string, std::vector<int>>::first);
        if (group == groups.end())
            group = groups.insert(groups.end(), {value, {}});
        group->second.push_back(static_cast<int>(rank));
    }
    if (groups.size() < 2)
        return {};
    std::string text = name + " is ";
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i == kMostValues)
            return text + ", and more";
        const auto& [value, ranks] = groups[i];
        text += (i > 0 ? ", " : "") + value + (ranks.size() == 1 ? " on rank " : " on ranks ") + rankRanges(ranks);
    }
    return text;
}

} // namespace

std::string encoded(const Statement& statement)
{
    std::string bytes;
    for (const auto& [name, value] : statement) {
        bytes += name;
        bytes += '\0';
        bytes += value;
        bytes += '\0';
    }
    return bytes;
}

Statement decodedStatement(std::string_view bytes)
{
    Statement statement;
    for (;;) {
        const std::size_t name = bytes.find('\0');
        const std::size_t value = name == std::string_view::npos ? name : bytes.find('\0', name + 1);
        if (value == std::string_view::npos || name == 0) // the rest fills it up to the longest of all ranks
            return statement;
        statement.emplace_back(bytes.substr(0, name), bytes.substr(name + 1, value - name - 1));
        bytes.remove_prefix(value + 1);
    }
}

std::string differences(const std::vector<Statement>& statements)
{
    std::vector<std::string> names;
    for (const Statement& statement : statements) {
        for (const auto& [name, value] : statement) {
            if (std::ranges::find(names, name) == names.end())
                names.push_back(name);
        }
    }
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        const std::string one = difference(statements, name);
        if (one.empty())
            continue;
        if (++count <= kMostDifferences)
            text += (text.empty() ? "" : "; ") + one;
    }
    if (count > kMostDifferences)
        text += "; and " + std::to_string(count - kMostDifferences) + " more";
    return text;
}

std::string rankRanges(const std::vector<int>& ranks)
{
    std::string text;
    int named = 0;
    for (std::size_t i = 0; i < ranks.size(); ++named) {
        if (named == kMostRanges)
            return text + ", ...";
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        if (last - i < 2)
            last = i;
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (last > i)
            text += "-" + std::to_string(ranks[last]);
        i = last + 1;
    }
    return text;
}

} // namespace lockstep::trainer
