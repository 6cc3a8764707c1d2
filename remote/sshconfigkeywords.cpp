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
    // Not followed, but told of (nothonoured.h).
    {"addkeystoagent", Files},
    {"controlpath", String},
    {"dynamicforward", Command},
    {"forwardagent", String},
    {"forwardx11", Flag},
    {"gssapiauthentication", Flag},
    {"gssapikeyexchange", Flag},
    {"hostbasedauthentication", Flag},
    {"localcommand", Command},
    {"localforward", Command},
    {"nohostauthenticationforlocalhost", Flag},
    {"permitlocalcommand", Flag},
    {"remotecommand", Command},
    {"remoteforward", Command},
    {"requiredrsasize", Number},
    {"securitykeyprovider", String},
    {"setenv", Files},
    {"tunnel", Choice, " yes no true false point-to-point ethernet "},
    {"verifyhostkeydns", Choice, " yes no true false ask "},
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
    " afstokenpassing canonicaldomains canonicalizefallbacklocal canonicalizemaxdots "
    "canonicalizepermittedcnames casignaturealgorithms channeltimeout checkhostip clearallforwardings compression "
    "compressionlevel connectionattempts controlmaster controlpersist "
    "enableescapecommandline enablesshkeysign escapechar exitonforwardfailure fallbacktorsh fingerprinthash "
    "forkafterauthentication forwardx11timeout forwardx11trusted gatewayports "
    "globalknownhostsfile2 gssapiclientidentity gssapidelegatecredentials "
    "gssapikexalgorithms gssapirenewalforcesrekey gssapiserveridentity gssapitrustdns hostbasedacceptedalgorithms "
    "hostbasedkeytypes ipqos kerberosauthentication kerberostgtpassing keepalive "
    "loglevel logverbose obscurekeystroketiming "
    "permitremoteopen protocol protocolkeepalives refuseconnection rekeylimit requesttty "
    "rhostsauthentication rhostsrsaauthentication rsaauthentication "
    "sendenv serveralivecountmax serveraliveinterval sessiontype setuptimeout stdinnull "
    "streamlocalbindmask streamlocalbindunlink syslogfacility tag tcpkeepalive tunneldevice updatehostkeys "
    "useblacklistedkeys useprivilegedport userknownhostsfile2 userhostcertificate usersh "
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
