// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nothonoured.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

namespace {

using enum NotHonoured::Matters;

enum class Asks { // whether a value asks for something
    IfYes,        // anything but no
    IfGiven,      // anything but none
    IfNotInternal,
};

struct Row {
    const char* key; // as ssh -G writes it
    const char* name;
    Asks asks;
    NotHonoured::Matters matters;
    const char* why;
};

constexpr Row kRows[] = {
    {"gssapiauthentication", "GSSAPIAuthentication", Asks::IfYes, WhenSigningInFails,
     "there is no signing in by Kerberos here"},
    {"gssapikeyexchange", "GSSAPIKeyExchange", Asks::IfYes, WhenSigningInFails,
     "there is no key exchange by Kerberos here"},
    {"hostbasedauthentication", "HostbasedAuthentication", Asks::IfYes, WhenSigningInFails,
     "this machine does not vouch for its users here"},
    {"pkcs11provider", "PKCS11Provider", Asks::IfGiven, WhenSigningInFails,
     "a smart card is used by way of ssh-agent: ssh-add -s"},
    {"securitykeyprovider", "SecurityKeyProvider", Asks::IfNotInternal, WhenSigningInFails,
     "a security key is used by way of ssh-agent: ssh-add -S"},
    {"controlpath", "ControlPath", Asks::IfGiven, WhenSigningInFails,
     "a connection that ssh has open is not shared, Lockstep signs in itself"},
    {"knownhostscommand", "KnownHostsCommand", Asks::IfGiven, WhenTheHostKeyIsRefused,
     "no command is asked for host keys, only the files are read"},
    {"verifyhostkeydns", "VerifyHostKeyDNS", Asks::IfYes, WhenTheHostKeyIsRefused,
     "host keys are not looked up in DNS"},
    {"nohostauthenticationforlocalhost", "NoHostAuthenticationForLocalhost", Asks::IfYes, WhenTheHostKeyIsRefused,
     "the host key is checked on loopback addresses too; HostKeyAlias gives each server behind one its own entry"},
    {"addkeystoagent", "AddKeysToAgent", Asks::IfYes, Always, "a key that is unlocked here is not added to the agent"},
    {"forwardagent", "ForwardAgent", Asks::IfYes, Always,
     "the agent is not forwarded, so what ranks do over ssh finds no keys of this machine"},
    {"forwardx11", "ForwardX11", Asks::IfYes, Always, "ranks reach no display of this machine"},
    {"localforward", "LocalForward", Asks::IfGiven, Always, "no port is forwarded; ssh -N does it beside"},
    {"remoteforward", "RemoteForward", Asks::IfGiven, Always, "no port is forwarded; ssh -N does it beside"},
    {"dynamicforward", "DynamicForward", Asks::IfGiven, Always, "no port is forwarded; ssh -N does it beside"},
    {"tunnel", "Tunnel", Asks::IfYes, Always, "no tunnel is opened"},
    {"remotecommand", "RemoteCommand", Asks::IfGiven, Always,
     "it is not run: what Lockstep starts, it starts in the login itself"},
    {"setenv", "SetEnv", Asks::IfGiven, Always,
     "ranks get the variables of the plan; write it as env in the inventory"},
};

bool asksFor(Asks asks, const QString& value)
{
    const auto isOneOf = [&](std::initializer_list<const char*> words) {
        return std::any_of(words.begin(), words.end(), [&](const char* word) {
            return value.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
        });
    };
    switch (asks) {
    case Asks::IfYes:
        return !isOneOf({"no", "false", "none"});
    case Asks::IfGiven:
        return !value.isEmpty() && !isOneOf({"none"});
    case Asks::IfNotInternal:
        return !isOneOf({"internal"});
    }
    return false;
}

} // namespace

std::optional<NotHonoured> notHonoured(const QByteArray& key, const QString& value)
{
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return key == one.key; });
    if (row == std::end(kRows) || !asksFor(row->asks, value))
        return std::nullopt;
    return NotHonoured{row->matters, QStringLiteral("%1: %2").arg(QLatin1String(row->name), QLatin1String(row->why))};
}

} // namespace lockstep
