// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/glob.h"

#include <array>
#include <cctype>
#include <utility>

namespace lockstep::wire {

namespace {

constexpr int kMostSteps = 200'000; // `*a*a*a*a*b` on a long name would take years

using Class = std::pair<std::string_view, int (*)(int)>;
constexpr std::array<Class, 12> kClasses{{{"alnum", std::isalnum},
                                          {"alpha", std::isalpha},
                                          {"blank", std::isblank},
                                          {"cntrl", std::iscntrl},
                                          {"digit", std::isdigit},
                                          {"graph", std::isgraph},
                                          {"lower", std::islower},
                                          {"print", std::isprint},
                                          {"punct", std::ispunct},
                                          {"space", std::isspace},
                                          {"upper", std::isupper},
                                          {"xdigit", std::isxdigit}}};

class Match {
public:
    bool run(std::string_view pattern, std::string_view path, bool atStart)
    {
        while (!pattern.empty()) {
            if (++m_steps > kMostSteps)
                return false;
            const char p = pattern[0];
            if (p == '*')
                return star(pattern, path, atStart);
            if (path.empty())
                return false;
            if (p == '[') {
                if (!bracket(pattern, path[0]) || path[0] == '/')
                    return false;
            } else {
                if (p == '\\')
                    pattern.remove_prefix(1);
                if (pattern.empty() || (p == '?' ? path[0] == '/' : pattern[0] != path[0]))
                    return false;
                pattern.remove_prefix(1);
            }
            atStart = path[0] == '/';
            path.remove_prefix(1);
        }
        return path.empty();
    }

private:
    bool star(std::string_view pattern, std::string_view path, bool atStart)
    {
        std::size_t stars = pattern.find_first_not_of('*');
        stars = stars == std::string_view::npos ? pattern.size() : stars;
        const std::string_view rest = pattern.substr(stars);
        const bool wide =
            stars == 2 && atStart && (rest.empty() || rest[0] == '/'); // ** is only special as a whole part
        if (wide && !rest.empty() && run(rest.substr(1), path, true))  // `**/` is also no folder at all
            return true;
        if (wide && rest.empty())
            return true;
        for (std::size_t taken = 0;; ++taken) {
            if (m_steps > kMostSteps)
                return false;
            const std::string_view left = path.substr(taken);
            if (run(rest, left, taken == 0 ? atStart : path[taken - 1] == '/'))
                return true;
            if (left.empty() || (left[0] == '/' && !wide))
                return false;
        }
    }

    // Takes the bracket from the pattern. One that does not end matches nothing.
    static bool bracket(std::string_view& pattern, char byte)
    {
        std::size_t at = 1;
        const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
        at += inverted ? 1 : 0;
        bool found = false;
        for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
            if (pattern.substr(at, 2) == "[:") {
                const std::size_t end = pattern.find(":]", at + 2);
                if (end == std::string_view::npos)
                    return false;
                for (const auto& [name, test] : kClasses)
                    if (name == pattern.substr(at + 2, end - at - 2))
                        found = found || test(static_cast<unsigned char>(byte)) != 0;
                at = end + 2;
                continue;
            }
            if (pattern[at] == '\\' && ++at == pattern.size())
                return false;
            const auto low = static_cast<unsigned char>(pattern[at++]);
            auto high = low;
            if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
                at += pattern[at + 1] == '\\' ? 2 : 1;
                if (at == pattern.size())
                    return false;
                high = static_cast<unsigned char>(pattern[at++]);
            }
            const auto value = static_cast<unsigned char>(byte);
            found = found || (low <= value && value <= high);
        }
        if (at >= pattern.size())
            return false;
        pattern.remove_prefix(at + 1);
        return found != inverted;
    }

    int m_steps = 0;
};

} // namespace

bool globMatches(std::string_view pattern, std::string_view path)
{
    return Match().run(pattern, path, true);
}

bool patternFinds(std::string_view pattern, std::string_view path)
{
    if (pattern.empty())
        return false;
    const std::size_t slash = pattern.find('/');
    if (slash == std::string_view::npos)
        return globMatches(pattern, path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1));
    return globMatches(pattern.substr(slash == 0 ? 1 : 0), path);
}

} // namespace lockstep::wire
