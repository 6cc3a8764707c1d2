// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nearestname.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr qsizetype kLongestName = 64; // longer texts are no slip of the pen
constexpr qsizetype kFarthestSlip = 3;

qsizetype edits(QStringView a, QStringView b) // Levenshtein
{
    std::vector<qsizetype> row(static_cast<std::size_t>(b.size()) + 1);
    std::iota(row.begin(), row.end(), qsizetype{0});
    for (qsizetype i = 0; i < a.size(); ++i) {
        qsizetype diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j + 1 < row.size(); ++j) {
            const qsizetype swapped = diagonal + (a[i] == b[static_cast<qsizetype>(j)] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({swapped, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

} // namespace

QString nearestName(const QString& name, const QStringList& known)
{
    QString nearest;
    qsizetype least = kFarthestSlip + 1;
    if (name.isEmpty() || name.size() > kLongestName)
        return nearest;
    for (const QString& one : known) {
        const qsizetype distance = edits(name, one);
        if (distance < least && distance <= std::max<qsizetype>(1, one.size() / 3)) {
            least = distance;
            nearest = one;
        }
    }
    return nearest;
}

} // namespace lockstep
