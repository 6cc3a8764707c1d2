// SPDX-License-Identifier: GPL-3.0-or-later
// What the user wants, as a TOML file:
//
// clang-format off
//   name = "fashion-cnn"
//   nodes = "gpu[1-2]"          # a selection of the inventory; missing: this machine
//   ranks_per_node = 2          # missing or 0: one a device; a CPU node without slots: one
//   ranks = 8                   # processes in all; refused where that leaves devices idle and ranks_per_node is missing
//   ranks_per_device = 2        # missing: 1; more meet over Gloo, for NCCL refuses several ranks on one GPU
//   share_devices = false       # true: also devices that another run holds
//   affinity = "auto"           # auto: a rank keeps to one NUMA node's CPUs where there are several; cores: to its own
//                               # share of the CPUs; none
//   backend = "auto"            # auto gloo nccl
//   master_port = 0             # 0: a free one, chosen on the master; 1..1023 needs allow_low_port = true
//   allow_low_port = false
//   grace = 10                  # seconds between TERM and KILL
//   restarts = 3                # how often a failed run goes on from its newest checkpoint; missing or 0: never
//   arguments = ["--flag", "x"] # appended to the trainer's options byte for byte
//   relay = false               # true: one node is sent the bundle, and nodes pass it on to each other
//   pass_env = ["WANDB_API_KEY", "HF_*"] # variables of the desktop that reach the ranks; nothing else of its does
//
//   folder = "code"             # sent with the run, without what git would ignore; its copy on the node is where the
//                               # ranks work. Relative to this file
//   directory = "exp"           # where the ranks work on the node: inside that copy, or an absolute path; missing: the
//                               # copy, or the run's own folder
//   results = ["*.pt", "out/**"]  # files there that are fetched while the run goes on, in git's patterns
//
//   [trainer]                   # options of lockstep-trainer, by their names without dashes; `lockstep-trainer --help`
//   model = "cnn"               # lists them
//   data = "fashion-mnist"
//
//   [env]                       # reaches every rank byte for byte
//   NCCL_DEBUG = "INFO"
//
//   [env_override]              # names that Lockstep sets itself (RANK, MASTER_ADDR, NCCL_SOCKET_IFNAME,
//                               # CUDA_VISIBLE_DEVICES …)
//   [node.gpu2]                 # of one node
//   ranks = 2
//   devices = ["0", "GPU-5b1e"] # by the driver's number or (the beginning of) a uuid
//   [node.gpu2.env]             # after [env]
//   NCCL_IB_DISABLE = "1"
//   [node.gpu2.env_override]
// clang-format on
//
// Unknown keys and wrong types are errors with their line; nothing is ignored.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>

#include <optional>

namespace lockstep {

enum class Backend { Auto, Gloo, Nccl };
[[nodiscard]] QString toString(Backend backend);
[[nodiscard]] std::optional<Backend> backendOf(const QString& text);

enum class Affinity { Auto, Cores, None };
[[nodiscard]] QString toString(Affinity affinity);
[[nodiscard]] std::optional<Affinity> affinityOf(const QString& text);

inline constexpr int kMostRanksPerDevice = 64;
inline constexpr int kMostRanksPerNode = 1024;
inline constexpr int kMostRanks = 65536;
inline constexpr int kMostGraceS = 3600;
inline constexpr int kMostRestarts = 1000;

using Environment = QList<QPair<QByteArray, QByteArray>>; // in the order of the file; bytes

struct TrainerOption {
    QString name; // without dashes, with underscores: weight_decay -> --weight-decay
    QByteArray value;

    bool operator==(const TrainerOption&) const = default;
};

struct NodeSettings { // [node.NAME]
    QString node;
    int ranks = 0;       // 0: as for all
    QStringList devices; // empty: the inventory's choice, else all
    Environment env;
    Environment envOverride;

    bool operator==(const NodeSettings&) const = default;
};

struct RunSpec {
    QString name = QStringLiteral("run");
    QString nodes; // empty: the local node
    int ranksPerNode = 0;
    int totalRanks = 0; // "8 processes in all": refused where it leaves devices idle without ranks_per_node
    int ranksPerDevice = 1;
    bool shareDevices = false;
    Affinity affinity = Affinity::Auto;
    Backend backend = Backend::Auto;
    int masterPort = 0;
    bool allowLowPort = false;
    int graceS = 10;
    bool relay = false;  // one node is sent the bundle, and nodes pass it on
    int restarts = 0;    // how often a failed run is started again, from its newest checkpoint; 0: never
    QString folder;      // of this machine, absolute once loaded; empty: none
    QString directory;   // on the node
    QStringList results; // patterns
    QList<TrainerOption> trainer;
    QList<QByteArray> arguments; // appended to the trainer's options byte for byte
    Environment env;
    Environment envOverride;
    QStringList passEnv; // names of the desktop's variables; a `*` at the end stands for any
    QList<NodeSettings> nodeSettings;

    bool operator==(const RunSpec&) const = default;

    [[nodiscard]] const NodeSettings* settingsOf(const QString& node) const; // null: none
    [[nodiscard]] QByteArray option(const QString& name) const;              // empty: not set
    void setOption(const QString& name, const QByteArray& value);

    // A typed spec may name only options that the bundled trainer has; one that was launched, by whatever version, is
    // read as it is.
    enum class Options { Known, Any };
    [[nodiscard]] static Result<RunSpec> parse(const QByteArray& toml, const QString& origin, // for messages
                                               Options options = Options::Known);
    [[nodiscard]] static Result<RunSpec> load(const QString& path, Options options = Options::Known);
    [[nodiscard]] QByteArray toToml() const; // parse(toToml()) is the same spec
    [[nodiscard]] Result<void> save(const QString& path) const;
    // --set key=value: trainer.lr=0.1, nodes=gpu1, env.X=1; a name without a dot that is no key of the top level is the
    // trainer's.
    [[nodiscard]] Result<void> set(const QString& assignment);

    [[nodiscard]] static RunSpec demo(); // Fashion-MNIST, cnn, this machine, two ranks, about a minute
};

[[nodiscard]] Result<void> checkOptionName(const QString& name); // of the trainer

[[nodiscard]] Result<void> checkDirectory(const RunSpec& spec); // the three keys of the user's files fit together

// A port as a person writes it; every wrong form has its reason.
[[nodiscard]] Result<int> parsePort(const QString& text, bool allowLowPort);

} // namespace lockstep
