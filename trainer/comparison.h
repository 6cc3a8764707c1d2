// SPDX-License-Identifier: GPL-3.0-or-later
// What every rank says of itself, compared: each difference is named with its values and the ranks that have them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::trainer {

// Names as they stand in a message ("--lr", "the program"), with their values.
using Statement = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string encoded(const Statement& statement);
[[nodiscard]] Statement decodedStatement(std::string_view bytes); // of encoded(); the rest of a torn one is left out

// "--lr is 0.1 on rank 0, 0.2 on ranks 1, 4-7; ..."; empty when all ranks say the same. By rank, in rank 0's order.
[[nodiscard]] std::string differences(const std::vector<Statement>& statements);

[[nodiscard]] std::string rankRanges(const std::vector<int>& ranks); // ascending: "0, 2, 4-9"

} // namespace lockstep::trainer
