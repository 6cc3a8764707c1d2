// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/modulefiles.h"

#include "remote/agent/clocks.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 3'000;
constexpr std::size_t kMaxFileBytes = 64 * 1024;
constexpr int kMaxDepth = 4;

// The words of a line; quotes, commas and parentheses only separate them: `prepend_path("PATH", "/sw/bin")`.
std::vector<std::string> wordsOf(std::string_view line)
{
    std::vector<std::string> words(1);
    for (const char c : line) {
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '\'' || c == ',' || c == '(' ||
            c == ')') {
            if (!words.back().empty())
                words.emplace_back();
        } else {
            words.back().push_back(c);
        }
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

// $root and ${root} of Tcl; a name that is not set leaves a word that is no path.
std::string expanded(const std::string& word, const std::map<std::string, std::string>& values)
{
    std::string text;
    for (std::size_t i = 0; i < word.size();) {
        if (word[i] != '$') {
            text.push_back(word[i++]);
            continue;
        }
        const bool braced = word.substr(i + 1, 1) == "{";
        std::size_t end = i + (braced ? 2 : 1);
        const std::size_t begin = end;
        while (end < word.size() && (std::isalnum(static_cast<unsigned char>(word[end])) != 0 || word[end] == '_'))
            ++end;
        const auto value = values.find(word.substr(begin, end - begin));
        if (value == values.end())
            return {};
        text += value->second;
        i = end + (braced ? 1 : 0);
    }
    return text;
}

} // namespace

std::vector<std::string> prefixesIn(std::string_view moduleFile)
{
    std::map<std::string, std::string> values;
    std::vector<std::string> prefixes;
    while (const auto line = nextLine(moduleFile)) {
        const std::vector<std::string> words = wordsOf(*line);
        if (words.size() < 3 || words[0].starts_with("#") || words[0].starts_with("--"))
            continue;
        if (words[0] == "set") {
            values[words[1]] = expanded(words[2], values);
        } else if (words[0] == "local" && words.size() > 3 && words[2] == "=") {
            values[words[1]] = words[3];
        } else if (words[0].starts_with("prepend") || words[0].starts_with("append") ||
                   words[0].starts_with("setenv")) {
            const auto named = values.find(words[2]); // Lua's variables have no sign
            const std::string path = named != values.end() ? named->second : expanded(words[2], values);
            if (!path.starts_with('/'))
                continue;
            if (words[1] == "PYTHONPATH" || words[1] == "VIRTUAL_ENV" || words[1] == "CONDA_PREFIX")
                prefixes.push_back(path);
            else if (words[1] == "PATH" && path.ends_with("/bin"))
                prefixes.push_back(path.substr(0, path.size() - 4));
        }
    }
    return prefixes;
}

std::vector<std::string> modulePrefixes(const std::string& modulePath, const std::string& root, std::int64_t endUs)
{
    std::string list = modulePath;
    if (list.empty())
        list = root + "/usr/share/modulefiles:" + root + "/etc/modulefiles:" + root + "/usr/share/modules/modulefiles";
    std::vector<std::string> prefixes;
    std::size_t files = 0;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t colon = std::min(list.find(':', at), list.size());
        const std::string folder = list.substr(at, colon - at);
        at = colon + 1;
        std::error_code error;
        if (folder.empty())
            continue;
        for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
             !error && it != end && files < kMostFiles && monotonicUs() < endUs; it.increment(error)) {
            std::error_code ignored;
            if (it.depth() >= kMaxDepth)
                it.disable_recursion_pending();
            if (!it->is_regular_file(ignored))
                continue;
            ++files;
            for (std::string& prefix : prefixesIn(readText(it->path(), kMaxFileBytes)))
                if (std::ranges::find(prefixes, prefix) == prefixes.end())
                    prefixes.push_back(std::move(prefix));
        }
    }
    return prefixes;
}

} // namespace lockstep::agent
