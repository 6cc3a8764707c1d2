// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factslogin.h"

#include "remote/agent/procfile.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

// Settings of [Login]; a commented one in the packaged file says what the program was built with.
struct Settings {
    std::optional<bool> kill;
    std::optional<bool> builtKill;
    std::vector<std::string> only, exclude = {"root"};
};

std::optional<bool> truth(std::string_view value)
{
    for (const std::string_view yes : {"yes", "true", "on", "1", "y", "t"})
        if (value == yes)
            return true;
    for (const std::string_view no : {"no", "false", "off", "0", "n", "f"})
        if (value == no)
            return false;
    return std::nullopt;
}

std::vector<std::string> words(std::string_view value)
{
    std::vector<std::string> list;
    for (std::string_view word = nextWord(value); !word.empty(); word = nextWord(value))
        list.emplace_back(word);
    return list;
}

void take(Settings& settings, const std::string& file)
{
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) {
        std::string_view text = trimmed(*line);
        const bool comment = text.starts_with('#');
        if (comment)
            text = trimmed(text.substr(1));
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos)
            continue;
        const std::string_view key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
        if (key == "KillUserProcesses" && truth(value))
            (comment ? settings.builtKill : settings.kill) = truth(value);
        else if (!comment && key == "KillOnlyUsers")
            settings.only = words(value);
        else if (!comment && key == "KillExcludeUsers")
            settings.exclude = words(value);
    }
}

// The main file of the first place that has one, then the drop-ins of all places by their names.
Settings readSettings(const FactsRoots& roots)
{
    Settings settings;
    const std::vector<std::string> places = {roots.etc + "/systemd", roots.run + "/systemd",
                                             roots.usr + "/local/lib/systemd", roots.usr + "/lib/systemd"};
    std::error_code failed;
    for (const std::string& place : places) {
        if (std::filesystem::exists(place + "/logind.conf", failed)) {
            take(settings, readText(place + "/logind.conf"));
            break;
        }
    }
    std::map<std::string, std::string> dropIns; // name -> path; of one name the first place's holds
    for (const std::string& place : places) {
        for (auto entry = std::filesystem::directory_iterator(place + "/logind.conf.d", failed);
             !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
            if (entry->path().extension() == ".conf")
                dropIns.emplace(entry->path().filename(), entry->path());
        }
    }
    for (const auto& [name, path] : dropIns)
        take(settings, readText(path));
    return settings;
}

} // namespace

void appendLogin(wire::Encoder& record, const FactsRoots& roots)
{
    std::error_code failed;
    if (!std::filesystem::exists(roots.run + "/systemd/seats", failed))
        return; // logind does not run here
    const passwd* entry = ::getpwuid(::geteuid());
    const std::string user = entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
    const Settings settings = readSettings(roots);
    const auto has = [&user](const std::vector<std::string>& list) {
        return std::ranges::find(list, user) != list.end();
    };
    const bool meant = !has(settings.exclude) && (settings.only.empty() || has(settings.only));
    record.field("logind", 1);
    if (const auto kill = settings.kill ? settings.kill : settings.builtKill)
        record.field("kill_user_processes", *kill && meant ? 1 : 0);
    record.field("linger", std::filesystem::exists(roots.var + "/lib/systemd/linger/" + user, failed) ? 1 : 0);
    const std::string groups = readText(roots.proc + "/self/cgroup");
    record.field("login_session", groups.find("/session-") != std::string::npos ? 1 : 0);
}

} // namespace lockstep::agent
