// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconfigkeywords.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

namespace {

using enum ConfigKeyword;

constexpr ConfigKeywordRow kRows[] = {
    {"host", Host},
    {"match", Match},
    {"include", Include},
    {"ignoreunknown", IgnoreUnknown},
    {"hostname", String},
    {"user", String},
    {"port", Port},
    {"identityfile", File},
    {"certificatefile", File},
    {"identitiesonly", Flag},
    {"identityagent", Agent},
    {"userknownhostsfile", Files},
    {"globalknownhostsfile", Files},
    {"hostkeyalias", String},
    {"hashknownhosts", Flag},
    {"revokedhostkeys", String},
    {"addressfamily", Choice, " any inet inet6 "},
    {"bindaddress", String},
    {"bindinterface", String},
    {"connecttimeout", Seconds},
    {"proxyjump", Jump},
    {"proxycommand", Command},
    {"proxyusefdpass", Flag},
    {"preferredauthentications", String},
    {"pubkeyauthentication", Choice, " yes no true false unbound host-bound "},
    {"kbdinteractiveauthentication", Flag},
    {"passwordauthentication", Flag},
    {"numberofpasswordprompts", Number},
    {"batchmode", Flag},
    {"stricthostkeychecking", Choice, " yes no true false ask off accept-new "},
    {"ciphers", String},
    {"macs", String},
    {"kexalgorithms", String},
    {"hostkeyalgorithms", String},
    {"pubkeyacceptedalgorithms", String},
    {"pkcs11provider", String},
    {"knownhostscommand", Command},
    {"canonicalizehostname", Choice, " yes no true false always none "},
};

struct Renamed {
    const char* old;
    const char* now;
};
constexpr Renamed kRenamed[] = {
    {"challengeresponseauthentication", "kbdinteractiveauthentication"},
    {"skeyauthentication", "kbdinteractiveauthentication"},
    {"tisauthentication", "kbdinteractiveauthentication"},
    {"dsaauthentication", "pubkeyauthentication"},
    {"identityfile2", "identityfile"},
    {"pubkeyacceptedkeytypes", "pubkeyacceptedalgorithms"},
    {"smartcarddevice", "pkcs11provider"},
    {"cipher", "ciphers"},
};

// What OpenSSH 9.2 knows besides, what it has dropped and still takes, and what later ones know.
constexpr char kOthers[] =
    " addkeystoagent afstokenpassing canonicaldomains canonicalizefallbacklocal canonicalizemaxdots "
    "canonicalizepermittedcnames casignaturealgorithms channeltimeout checkhostip clearallforwardings compression "
    "compressionlevel connectionattempts controlmaster controlpath controlpersist dynamicforward "
    "enableescapecommandline enablesshkeysign escapechar exitonforwardfailure fallbacktorsh fingerprinthash "
    "forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports "
    "globalknownhostsfile2 gssapiauthentication gssapiclientidentity gssapidelegatecredentials gssapikeyexchange "
    "gssapikexalgorithms gssapirenewalforcesrekey gssapiserveridentity gssapitrustdns hostbasedacceptedalgorithms "
    "hostbasedauthentication hostbasedkeytypes ipqos kerberosauthentication kerberostgtpassing keepalive localcommand "
    "localforward loglevel logverbose nohostauthenticationforlocalhost obscurekeystroketiming permitlocalcommand "
    "permitremoteopen protocol protocolkeepalives refuseconnection rekeylimit remotecommand remoteforward requesttty "
    "requiredrsasize rhostsauthentication rhostsrsaauthentication rsaauthentication "
    "securitykeyprovider sendenv serveralivecountmax serveraliveinterval sessiontype setenv setuptimeout stdinnull "
    "streamlocalbindmask streamlocalbindunlink syslogfacility tag tcpkeepalive tunnel tunneldevice updatehostkeys "
    "useblacklistedkeys useprivilegedport userknownhostsfile2 userhostcertificate usersh verifyhostkeydns "
    "versionaddendum "
    "visualhostkey warnweakcrypto xauthlocation ";

constexpr ConfigKeywordRow kOther{"", Other};

} // namespace

const ConfigKeywordRow* configKeyword(const QByteArray& lowered)
{
    QByteArray name = lowered;
    for (const Renamed& renamed : kRenamed)
        if (name == renamed.old)
            name = renamed.now;
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&name](const ConfigKeywordRow& known) { return name == known.name; });
    if (row != std::end(kRows))
        return row;
    return QByteArray(kOthers).contains(' ' + name + ' ') ? &kOther : nullptr;
}

} // namespace lockstep
