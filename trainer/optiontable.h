// SPDX-License-Identifier: GPL-3.0-or-later
// How an option is read and shown. The rows themselves stand in options.cpp; nothing here knows any of them.
#pragma once

#include "trainer/options.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::trainer {

struct Text {
    std::string Options::*member;
};
struct Whole {
    std::int64_t Options::*member;
    std::int64_t least;
    std::int64_t most;
};
struct Real {
    double Options::*member;
    double least;
    double most;
};
struct Choice {
    std::vector<std::string_view> names;
    void (*set)(Options&, std::size_t index);
    std::size_t (*get)(const Options&);
};

struct OptionRow {
    enum class Part { Model, Data, Optimiser, Ranks, Files }; // --help's headings

    Part part;
    std::string name;     // without dashes
    std::string argument; // as --help shows it
    std::string help;
    std::variant<Text, Whole, Real, Choice> kind;
};

[[nodiscard]] const std::vector<OptionRow>& optionTable();
[[nodiscard]] const OptionRow* findOption(std::string_view name); // nullptr: no such option; `_` counts as `-`

// Throws Failure(Options) that says which option, which value and what would be right.
void setOption(Options& options, const OptionRow& row, std::string_view value);
[[nodiscard]] std::string shownValue(const Options& options, const OptionRow& row); // as it would be typed
[[nodiscard]] std::string unknownOption(std::string_view argument); // the sentence, with the nearest name

} // namespace lockstep::trainer
