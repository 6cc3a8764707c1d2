// SPDX-License-Identifier: GPL-3.0-or-later
// Host files of other launchers, Ansible's inventories, aliases of an ssh_config.
#include "core/inventory.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestImportedNodes : public QObject {
    Q_OBJECT

private:
    void rowsOfHostfiles();
    void rowsOfSlurm();
    void rowsOfAnsible();

private slots:
    void hostfile_data();
    void hostfile();
    void wholeCase();
    void refused_data();
    void refused();
    void aliases();
    void besideAnsible();
    void example();
};

namespace {

QString shown(const ImportedNodes& imported) // name=address*slots#tags%key~jump@interface
{
    QStringList list;
    for (const Node& node : imported.nodes) {
        QString text = node.name + '=' + (node.local ? QString("local") : node.address.text());
        if (node.slots_ > 0)
            text += QString("*%1").arg(node.slots_);
        if (!node.tags.isEmpty())
            text += '#' + node.tags.join('+');
        if (!node.key.isEmpty())
            text += '%' + node.key;
        if (!node.jump.isEmpty())
            text += '~' + node.jump.join('~');
        if (!node.interface.isEmpty())
            text += '@' + node.interface;
        list.append(text);
    }
    return list.join(' ');
}

QString problems(const ImportedNodes& imported)
{
    QStringList list;
    for (const ImportedLine& line : imported.problems)
        list.append(
            QString("%1line %2: %3").arg(line.file.isEmpty() ? "" : line.file + ' ').arg(line.line).arg(line.problem));
    return list.join('\n');
}

} // namespace

void TestImportedNodes::hostfile_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("told"); // empty: nothing
    QTest::newRow("DeepSpeed") << "node1 slots=8\nnode2 slots=2"
                               << "node1=node1*8 node2=node2*2"
                               << "";
    QTest::newRow("OpenMPI") << "n1 slots=4 max_slots=8\n"
                             << "n1=n1*4"
                             << "";
    QTest::newRow("MPICH") << "172.23.2.192:8\n172.23.2.194:8\n"
                           << "172.23.2.192=172.23.2.192*8 172.23.2.194=172.23.2.194*8"
                           << "";
    QTest::newRow("number") << "gpu8 8\n"
                            << "gpu8=gpu8*8"
                            << "";
    QTest::newRow("plain") << "mpi_master\nmpi_w1\r\n\nmpi_w2"
                           << "mpi_master=mpi_master mpi_w1=mpi_w1 mpi_w2=mpi_w2"
                           << "";
    QTest::newRow("plain, once a slot") << "n1\nn1\nn2\nn1\n"
                                        << "n1=n1*3 n2=n2"
                                        << "";
    QTest::newRow("Slurm") << "gpu[05-07],login1"
                           << "gpu05=gpu05 gpu06=gpu06 gpu07=gpu07 login1=login1"
                           << "";
    QTest::newRow("user and port") << "bob@n1:2222 slots=2"
                                   << "n1-2222=bob@n1:2222*2"
                                   << "";
    QTest::newRow("port beyond any slots") << "n1:32101\nn1:32001"
                                           << "n1-32101=n1:32101 n1-32001=n1:32001"
                                           << "";
    QTest::newRow("localhost") << "localhost slots=8\nslave_0 slots=8"
                               << "localhost=local*8 slave_0=slave_0*8"
                               << "";
    QTest::newRow("doubled") << "n1 slots=8\nn1 slots=8"
                             << "n1=n1*8"
                             << "line 2: n1 is named twice";
    QTest::newRow("Ansible groups") << "[all]\nw1 ansible_host=10.0.0.2 ip=10.0.0.2\nw2 "
                                       "ansible_host=10.0.0.3\n[master]\nw1\n[all:vars]\nansible_user=vagrant\n"
                                    << "w1=vagrant@10.0.0.2#master w2=vagrant@10.0.0.3"
                                    << "";
    QTest::newRow("Ansible children") << "[a]\nw1\n[b]\nw2\n[both:children]\na\nb\n"
                                      << "w1=w1#both+a w2=w2#both+b"
                                      << "";
    QTest::newRow("Ansible local") << "t ansible_connection=local\n"
                                   << "t=local"
                                   << "";
    QTest::newRow("Ansible range, port") << "[g]\ngpu[01:02] ansible_port=2222 # x\n"
                                         << "gpu01=gpu01:2222#g gpu02=gpu02:2222#g"
                                         << "";
    QTest::newRow("Ansible password") << "[g]\nw1 ansible_password=secret\n"
                                      << "w1=w1#g"
                                      << "line 2: the password of w1";
    QTest::newRow("Ansible template") << "[g]\nw1\nw2 ansible_host={{x}}\n"
                                      << "w1=w1#g"
                                      << "line 3: ansible_host of w2 is a template";
    QTest::newRow("Ansible by other means") << "[g]\nw1\nw2 ansible_connection=docker\n"
                                            << "w1=w1#g"
                                            << "line 3: ansible_connection of w2 is \"docker\", not ssh: left out";
    QTest::newRow("Ansible circle") << "[a:children]\nb\n[b:children]\na\n[a]\nw1\n"
                                    << "w1=w1#a+b"
                                    << "";
    rowsOfHostfiles();
    rowsOfSlurm();
    rowsOfAnsible();
}

void TestImportedNodes::rowsOfHostfiles()
{
    QTest::newRow("blanks around =") << "n1 slots = 4 max_slots =8\n"
                                     << "n1=n1*4"
                                     << "";
    QTest::newRow("more than max_slots") << "n1 slots=8 max_slots=4\nn2\n"
                                         << "n2=n2"
                                         << "line 1: slots=8 is more than max_slots=4";
    QTest::newRow("slots twice") << "n1 slots=8 slots=4\nn2\n"
                                 << "n2=n2"
                                 << "line 1: slots is given twice";
    QTest::newRow("MPICH range") << "gpu[1-2]:8\n"
                                 << "gpu1=gpu1*8 gpu2=gpu2*8"
                                 << "";
    QTest::newRow("MPICH v6") << "[2001:db8::9]:8\n2001:db8::a\n"
                              << "2001-db8--9=2001:db8::9*8 2001-db8--a=2001:db8::a"
                              << "";
    QTest::newRow("tabs") << "n1\tslots=4\tmax_slots=8\nn2\tslots=4\tmax_slots=8\n"
                          << "n1=n1*4 n2=n2*4"
                          << "";
    QTest::newRow("Horovod's -H") << "n1:4,n2:2,n3\n"
                                  << "n1=n1*4 n2=n2*2 n3=n3"
                                  << "";
    QTest::newRow("22 is a port") << "n1:22\n"
                                  << "n1=n1:22"
                                  << "line 1: \":22\" was read as ssh's port";
    QTest::newRow("lists on several lines") << "gpu[1-2],gpu7 slots=8\ncpu1, cpu2 slots=4\n"
                                            << "gpu1=gpu1*8 gpu2=gpu2*8 gpu7=gpu7*8 cpu1=cpu1*4 cpu2=cpu2*4"
                                            << "";
    QTest::newRow("Slurm, two lists, two brackets") << "gpu[01-03,7],cpu-[1-2]-[0-1]\n"
                                                    << "gpu01=gpu01 gpu02=gpu02 gpu03=gpu03 gpu7=gpu7 cpu-1-0=cpu-1-0 "
                                                       "cpu-1-1=cpu-1-1 cpu-2-0=cpu-2-0 cpu-2-1=cpu-2-1"
                                                    << "";
    QTest::newRow("mark of UTF-8, old line ends") << "\xef\xbb\xbfn1 slots=2\rn2 slots=2\r"
                                                  << "n1=n1*2 n2=n2*2"
                                                  << "";
    QTest::newRow("Open MPI's other words")
        << "n1 count=2 username=bob\nn2 cpu=4 slots_max=8 # x\nn3 slots=2 port=2222\n"
        << "n1=bob@n1*2 n2=n2*4 n3-2222=n3:2222*2"
        << "";
    QTest::newRow("IPv6 with a port of its own") << "2001:db8::9 slots=2 user=bob port=2222\n"
                                                 << "2001-db8--9-2222=bob@[2001:db8::9]:2222*2"
                                                 << "";
    QTest::newRow("Hydra") << "n1:4 ifname=eth2\nn2:2 binding=user:0,3\n"
                           << "n1=n1*4@eth2 n2=n2*2"
                           << "line 2: binding was not taken over";
    QTest::newRow("Torque's nodes") << "n1 np=64 gpus=8\nn2 np=16\n"
                                    << "n1=n1*8 n2=n2*16"
                                    << "";
    QTest::newRow("Grid Engine") << "n1.x 8 all.q@n1.x UNDEFINED\nn2.x 4 all.q@n2.x UNDEFINED\n"
                                 << "n1.x=n1.x*8 n2.x=n2.x*4"
                                 << "";
    QTest::newRow("LSF") << "n1 8 n2 4 10.0.0.3 2\n"
                         << "n1=n1*8 n2=n2*4 10.0.0.3=10.0.0.3*2"
                         << "";
    QTest::newRow("Slurm's variable") << "export SLURM_JOB_NODELIST='a[1-3,5],b-[01-02]-c[1-2]'\n"
                                      << "a1=a1 a2=a2 a3=a3 a5=a5 b-01-c1=b-01-c1 b-01-c2=b-01-c2 b-02-c1=b-02-c1 "
                                         "b-02-c2=b-02-c2"
                                      << "";
    QTest::newRow("Slurm's environment") << "SLURM_JOB_ID=7\nSLURM_NODELIST=a[1-2]\nSLURM_NTASKS=16\n"
                                         << "a1=a1 a2=a2"
                                         << "";
    QTest::newRow("GNU parallel") << "8/bob@n1\n4/n2\n:\n"
                                  << "n1=bob@n1*8 n2=n2*4 localhost=local"
                                  << "";
    QTest::newRow("a path is no host") << "n1\n/dev/sda1\n"
                                       << "n1=n1"
                                       << "line 2: \"/dev/sda1\" is no address";
    QTest::newRow("two hosts, no numbers") << "n1 n2\nn3\n"
                                           << "n3=n3"
                                           << "line 1: \"n2\" is no number of slots";
    QTest::newRow("an /etc/hosts") << "127.0.0.1\tlocalhost\n127.0.1.1 desk\n::1 ip6-localhost ip6-loopback\nff02::1 "
                                      "ip6-allnodes\n\n10.0.0.11  gpu1.x gpu1  # rack 3\n2001:db8::9 gpu2\n10.0.0.11 "
                                      "again\n"
                                   << "gpu1.x=10.0.0.11 gpu2=2001:db8::9 again=10.0.0.11"
                                   << "";
    QTest::newRow("an /etc/hosts with groups") << "22.0.0.1 a\n220.0.0.1 b\n223.255.255.255 c\n224.0.0.1 all\n"
                                                  "230.1.1.1 d\n239.255.255.255 e\n255.255.255.255 broadcasthost\n"
                                               << "a=22.0.0.1 b=220.0.0.1 c=223.255.255.255"
                                               << "";
    QTest::newRow("hosts behind a blank") << "gpu1 gpu2,gpu3\ngpu4\n"
                                          << "gpu4=gpu4"
                                          << "line 1: between the hosts \"gpu1 gpu2\" a comma is missing";
    QTest::newRow("genders") << "# nodes\nn[1-2]  compute,gpu,slots=8,rack=3\nn3 compute\nn1 mgmt%n\nlogin\n"
                             << "n1=n1*8#compute+gpu+rack-3 n2=n2*8#compute+gpu+rack-3 n3=n3#compute login=login"
                             << "line 4: \"mgmt%n\" can't be a tag";
    QTest::newRow("genders, a range backwards") << "gpu[3-1],gpu5 compute,slots=8\n"
                                                << "gpu5=gpu5*8#compute"
                                                << "line 1: \"gpu[3-1]\": the range 3-1 runs backwards";
    QTest::newRow("a host named host") << "host slots=4\n"
                                       << "host=host*4"
                                       << "";
    QTest::newRow("table") << "index,ip\njob-28,10.95.230.149\njob-29,10.95.230.153\n"
                           << "job-28=10.95.230.149 job-29=10.95.230.153"
                           << "";
    QTest::newRow("table of quoted lists") << "nodelist;slots\n\"gpu[1-2],gpu4\";8\nx y;2;3\n"
                                           << "gpu1=gpu1*8 gpu2=gpu2*8 gpu4=gpu4*8"
                                           << "line 3: has 3 fields where the header has 2";
    QTest::newRow("table with user and port") << "name\tip\tport\tuser\nw1\t2001:db8::9\t2222\tbob\n"
                                              << "w1=bob@[2001:db8::9]:2222"
                                              << "";
    QTest::newRow("a table headed by Host") << "Host IP GPUs\ngpu1 10.0.0.1 8\ngpu2 10.0.0.2 4\n"
                                            << "gpu1=10.0.0.1*8 gpu2=10.0.0.2*4"
                                            << "";
    QTest::newRow("a table's slots that are none")
        << "host,slots\ngpu1,8\ngpu2,8x\ngpu3,4\ngpu4,0\ngpu5,-\ngpu6,\n"
        << "gpu1=gpu1*8 gpu3=gpu3*4 gpu5=gpu5 gpu6=gpu6"
        << "line 3: \"8x\" is no number of slots from 1 to 4096\nline 5: \"0\" is no number";
    QTest::newRow("a comma alone") << "gpu1\n,\ngpu2\n"
                                   << "gpu1=gpu1 gpu2=gpu2"
                                   << "line 2: a host is missing beside the comma";
    QTest::newRow("a number beside hosts") << "gpu1,8\ngpu2\ngpu3\n"
                                           << "gpu2=gpu2 gpu3=gpu3"
                                           << "line 1: \"8\" is a number, not a host";
    QTest::newRow("JSON hosts") << "[{\"ssh\": \"gpu1\", \"ips\": [\"10.0.0.1\"]}, \"gpu2\", {}]"
                                << "gpu1=gpu1 gpu2=gpu2"
                                << "line 1: an entry has no name";
}

void TestImportedNodes::rowsOfSlurm()
{
    QTest::newRow("scontrol show job") << "JobId=8 JobName=x\n   JobState=RUNNING\n   ReqNodeList=a1 ExcNodeList=a2\n"
                                          "   NodeList=n[1,3-4]\n   BatchHost=n1\n     Nodes=n[1,3] CPU_IDs=0-7 "
                                          "GRES=gpu:a100:8(IDX:0-7)\n     Nodes=n4 GRES=gpu:4\n"
                                       << "n1=n1*8 n3=n3*8 n4=n4*4"
                                       << "";
    QTest::newRow("a pending job beside") << "JobId=8 JobState=PENDING NodeList=(null)\n\nJobId=9 NodeList=n1\n"
                                          << "n1=n1"
                                          << "line 1: job 8 has no nodes (pending)";
    QTest::newRow("scontrol show partition") << "PartitionName=gpu Nodes=n[1-2] TotalNodes=2\nPartitionName=big "
                                                "MaxNodes=4 Nodes=n[2-3]\nPartitionName=none Nodes=(null)\n"
                                             << "n1=n1#gpu n2=n2#gpu+big n3=n3#big"
                                             << "";
    QTest::newRow("scontrol show node")
        << "NodeName=n1 Arch=x86_64\n   ActiveFeatures=a100,ib\n   "
           "Gres=gpu:a100:4(S:0-1),gpu:h100:2\n   NodeAddr=10.0.0.1 NodeHostName=n1\n   "
           "OS=Linux 5.15 #1 SMP Nodes\n   Partitions=gpu,all \n"
        << "n1=10.0.0.1*6#gpu+all+a100+ib"
        << "";
    QTest::newRow("slurm.conf") << "# NodeName=old\nNodeName=DEFAULT CPUs=8\nNodeName=n[1-2] NodeAddr=10.0.0.[1-2] "
                                   "Gres=gpu:8 # Nodes=x9\nPartitionName=p Nodes=ALL Default=YES\n"
                                << "n1=10.0.0.1*8 n2=10.0.0.2*8"
                                << "";
    QTest::newRow("gres.conf")
        << "# AutoDetect=nvml\nNodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-7\n"
           "NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[4-7]\nNodeName=n1 Name=mps "
           "Count=400\nNodeName=n3 Name=gpu Count=2\n"
        << "n1=n1*8 n2=n2*8 n3=n3*2"
        << "";
    QTest::newRow("sinfo") << "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ngpu*         up   infinite      2   "
                              "idle n[1-2]\nbig          up 7-00:00:00      1  down* n2\nnone up infinite 0 n/a \n"
                           << "n1=n1#gpu n2=n2#gpu+big"
                           << "";
    QTest::newRow("sinfo -N -o %N, one column") << "NODELIST\nn[1-2]\nn2\n"
                                                << "n1=n1 n2=n2"
                                                << "";
    QTest::newRow("sinfo -N -l")
        << "Sun Nov 29 10:00:00 2026\nNODELIST   NODES PARTITION       STATE CPUS\nn1             "
           "1      gpu        idle 8\nn1 1 big idle 8\n"
        << "n1=n1#gpu+big"
        << "";
    QTest::newRow("sinfo, cut at ;") << "HOSTNAMES;CPUS;MEMORY;FEATURES\nn1;4;1;campus,restart\nn2;4;1;(null)\n"
                                     << "n1=n1#campus+restart n2=n2"
                                     << "";
    QTest::newRow("squeue")
        << "  JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 7_[1-4%4] gpu a b PD 0:00 1 "
           "(launch failed requeued held)\n 8 gpu my job u R 1:00 2 n[1-2]\n 9 gpu a u R 1:00 1 n2\n"
        << "n1=n1#gpu n2=n2#gpu"
        << "line 2: this job has no nodes yet";
    QTest::newRow("squeue --json") << "{\"jobs\": [{\"nodes\": \"n[1-2]\", \"partition\": \"gpu\"}, {\"nodes\": \"\"}]}"
                                   << "n1=n1#gpu n2=n2#gpu"
                                   << "line 1: 1 of 2 jobs have no nodes yet";
    QTest::newRow("scontrol --json")
        << "{\"nodes\": [{\"name\": \"n1\", \"address\": \"10.0.0.1\", \"gres\": \"gpu:8\", "
           "\"features\": [\"a100\"]}]}"
        << "n1=10.0.0.1*8#a100"
        << "";
}

void TestImportedNodes::rowsOfAnsible()
{
    QTest::newRow("nearer groups win") << "[all]\nw1 ansible_host=10.0.0.1\nw2\n[inner]\nw1\nw2 ansible_user=own\n"
                                          "[outer:children]\ninner\n[outer:vars]\nansible_user=outer\nansible_port=1\n"
                                          "[inner:vars]\nansible_user=inner\n[all:vars]\nansible_user=any\n"
                                       << "w1=inner@10.0.0.1:1#outer+inner w2=own@w2:1#outer+inner"
                                       << "";
    QTest::newRow("steps, letters, port") << "[g]\nn[01:05:2]\ndb-[a:c].x:5309\n"
                                          << "n01=n01#g n03=n03#g n05=n05#g db-a.x=db-a.x:5309#g db-b.x=db-b.x:5309#g "
                                             "db-c.x=db-c.x:5309#g"
                                          << "";
    QTest::newRow("key and jump")
        << "w1 ansible_ssh_private_key_file=~/.ssh/k ansible_ssh_common_args='-o "
           "ProxyCommand=\"ssh -p 2222 -W %h:%p -q ops@gate\"'\nw2 ansible_ssh_common_args=\"-J "
           "a,b\"\n"
        << "w1=w1%~/.ssh/k~ops@gate:2222 w2=w2~a~b"
        << "";
    QTest::newRow("old and new names") << "w1 ansible_ssh_host=10.0.0.1 ansible_host=10.0.0.2 ansible_ssh_user=old "
                                          "ansible_user=new ansible_ssh_port=1 ansible_port=2\n"
                                       << "w1=old@10.0.0.1:1"
                                       << "";
    QTest::newRow("a proxy of its own kind") << "w1 ansible_ssh_common_args='-o ProxyCommand=\"nc -X 5 %h %p\"'\n"
                                             << "w1=w1"
                                             << "line 1: ProxyCommand in the ssh arguments of w1 was not taken over";
    QTest::newRow("a template of its own variable")
        << "[g]\nw1 where=10.0.0.3\nw2\n[g:vars]\nansible_host={{ where }}\n"
        << "w1=10.0.0.3#g"
        << "line 5: ansible_host of w2 is a template which only Ansible can fill in ({{ where }}): left out";
    QTest::newRow("slots of its own variable") << "[g]\nw1 slots={{gpus}} gpus=4\nw2 slots=0\n"
                                               << "w1=w1*4#g w2=w2#g"
                                               << "";
    QTest::newRow("slots that are no number") << "[g]\nw1 slots=8x\nw2 slots=-1\n"
                                              << "w1=w1#g w2=w2#g"
                                              << "line 2: slots of w1 is \"8x\", not a number from 0 to 4096: all "
                                                 "devices of the node count\nline 3: slots of w2 is \"-1\"";
    QTest::newRow("slots that only Ansible knows")
        << "all:\n  hosts:\n    g1: {slots: \"{{ gpus }}\"}\n    g2: {slots: !vault \"$ANSIBLE\"}\n"
        << "g1=g1 g2=g2"
        << "line 3: slots of g1 is a template which only Ansible can fill in ({{ gpus }}): all devices of the node "
           "count\nline 4: slots of g2 is encrypted by ansible-vault: all devices";
    QTest::newRow("tabs, no section") << "w1\tansible_host=10.0.0.1\tansible_port=2222\n"
                                      << "w1=10.0.0.1:2222"
                                      << "";
    QTest::newRow("unknown section") << "[g]\nw1\n[g:wars]\na=b\n"
                                     << "w1=w1#g"
                                     << "line 3: a section may be";
    QTest::newRow("a word behind a host") << "[g]\nw1\nw2 slots\n"
                                          << "w1=w1#g"
                                          << "line 3: \"slots\" is not understood";
    QTest::newRow("YAML")
        << "---\nall:\n  vars:\n    ansible_user: any\n  children:\n    gpu:\n      hosts:\n        "
           "g[1:2]:\n          ansible_port: 2222\n        g3: {ansible_host: 10.0.0.3}\n      children:\n"
           "        big:\n          hosts:\n            g3:\n"
        << "g1=any@g1:2222#gpu g2=any@g2:2222#gpu g3=any@10.0.0.3#gpu+big"
        << "";
    QTest::newRow("YAML merged, vault")
        << "x: &c\n  vars: {}\nall:\n  hosts:\n    g1: &d\n      ansible_user: bob\n      "
           "ansible_password: !vault |\n        $ANSIBLE\n        61\n    g2:\n      <<: *d\n"
           "      ansible_user: eve\n"
        << "g1=bob@g1 g2=eve@g2"
        << "line 7: the password of g1 and 1 more";
    QTest::newRow("YAML, a merge of itself") << "all:\n  hosts:\n    g1: &a\n      <<: *a\n      ansible_user: bob\n"
                                             << "g1=bob@g1"
                                             << "";
    QTest::newRow("YAML, a list of merges") << "x: {hosts: {z: &p {ansible_user: one, ansible_port: 1}}}\nall: {hosts: "
                                               "{y: &q {ansible_user: two, ansible_port: 2}, g1: {<<: [*q, *p], "
                                               "ansible_port: 3}}}\n"
                                            << "z=one@z:1#x y=two@y:2 g1=two@g1:3"
                                            << "";
    QTest::newRow("YAML, a user in the vault")
        << "all:\n  hosts:\n    g1:\n    g2: {ansible_user: !vault \"$ANSIBLE\"}\n"
        << "g1=g1"
        << "line 4: ansible_user of g2 is encrypted by ansible-vault: left out";
    QTest::newRow("YAML, a template without quotes")
        << "all:\n  vars:\n    ansible_host: {{ x }}\n  hosts:\n    g1: {ansible_host: 10.0.0.1}\n    g2:\n"
        << "g1=10.0.0.1"
        << "line 3: ansible_host of g2 is no text; a template stands in quotes: left out";
    QTest::newRow("user, port and key among ssh's arguments")
        << "w1 ansible_ssh_common_args='-o User=bob -oPort=2222 -i ~/k -o ProxyJump=a,b@c:22'\nw2 "
           "ansible_user=eve ansible_ssh_common_args='-l bob -q -o \"ProxyCommand ssh -qA -l ops -W [%h]:%p gate\"'\n"
        << "w1=bob@w1:2222%~/k~a~b@c:22 w2=eve@w2~ops@gate"
        << "";
    QTest::newRow("ssh's arguments with blanks")
        << "w1 ansible_ssh_common_args='-o \"Port = 22\" -o \"User bob\" -o \" IdentityFile= ~/k \"'\n"
        << "w1=bob@w1:22%~/k"
        << "";
    QTest::newRow("the first of ssh's arguments counts")
        << "w1 ansible_ssh_extra_args='-l extra -p 3' ansible_ssh_common_args='-l common -p 2 -i ~/k' "
           "ansible_ssh_args='-l args'\n"
        << "w1=args@w1:2%~/k"
        << "";
    QTest::newRow("other arguments of ssh") << "[g]\nw[1:3]\n[g:vars]\nansible_ssh_common_args='-F ssh.cfg -o "
                                               "StrictHostKeyChecking=no -o Compression=yes'\n"
                                            << "w1=w1#g w2=w2#g w3=w3#g"
                                            << "line 4: -F in the ssh arguments of w1 and 2 more was not taken over; "
                                               "write it in ~/.ssh/config, or a jump as "
                                               "jump = [...] in the inventory\nline 4: StrictHostKeyChecking in";
    QTest::newRow("a jump by templates") << "[g]\nw1\n[g:vars]\nansible_user=ops\ngate=10.0.0.1\nansible_ssh_common_"
                                            "args='-J {{ ansible_user }}@{{gate}}'\n"
                                         << "w1=ops@w1#g~ops@10.0.0.1"
                                         << "";
    QTest::newRow("a group's priority") << "[a]\nw1\n[b]\nw1\n[a:vars]\nansible_user=a\nansible_group_priority=9\n"
                                           "[b:vars]\nansible_user=b\n"
                                        << "w1=a@w1#b+a"
                                        << "";
    QTest::newRow("ansible-inventory --list")
        << "{\n  \"_meta\": {\"hostvars\": {\n    \"g2\": {\"ansible_host\": \"10.0.0.2\", \"ansible_port\": 2222,\n"
           "           \"ansible_user\": \"bob\", \"ansible_password\": \"x\"},\n    \"g3\": {\"ansible_user\":\n"
           "      {\"__ansible_vault\": \"$ANSIBLE_VAULT;1.1\"}}}},\n  \"all\": {\"children\": [\"ungrouped\", "
           "\"gpu\"]},\n"
           "  \"gpu\": {\"hosts\": [\"g1\", \"g2\"], \"children\": [\"big\"]}, \"big\": {\"hosts\": [\"g3\", "
           "\"g2\"]},\n  \"ungrouped\": {\"hosts\": [\"w1\"]}}\n"
        << "g1=g1#gpu g2=bob@10.0.0.2:2222#gpu+big w1=w1"
        << "line 4: the password of g2 was not taken over; give that account a key\nline 5: ansible_user of g3 is "
           "encrypted";
    QTest::newRow("what a script writes") << "{\"gpu\": [\"g1\"], \"web\": {\"hosts\": [\"w1\"], \"vars\": "
                                             "{\"ansible_user\": \"bob\"}}}"
                                          << "g1=g1#gpu w1=bob@w1#web"
                                          << "";
    QTest::newRow("YAML's inventory as JSON")
        << "{\"all\": {\"hosts\": {\"g1\": {\"ansible_port\": 2222}, \"g2\": null}}}"
        << "g1=g1:2222 g2=g2"
        << "";
    QTest::newRow("YAML, odd") << "all:\n  hosts:\n    g1:\n    g2: 3\n  child: x\n"
                               << "g1=g1 g2=g2"
                               << "line 4: behind g2";
}

void TestImportedNodes::hostfile()
{
    QFETCH(QString, text);
    QFETCH(QString, told);
    const Result<ImportedNodes> imported = importText(text.toUtf8());
    QVERIFY2(imported, imported ? "" : qPrintable(imported.error().text));
    QTEST(shown(*imported), "nodes");
    QVERIFY2(told.isEmpty() ? imported->problems.isEmpty() : problems(*imported).contains(told),
             qPrintable(problems(*imported)));
}

void TestImportedNodes::wholeCase()
{
    const Result<ImportedNodes> imported = importText(QByteArrayLiteral("# rack 3, the quiet one\n"
                                                                        "gpu1 slots=8\n"
                                                                        "gpu2 slots = 8        # trailing comment\n"
                                                                        "alice@10.0.0.13 slots=2\n"
                                                                        "10.0.0.14:8\n"
                                                                        "gpu[05-07] slots=4\n"
                                                                        "gpu8 8\n"
                                                                        "gpu9 slots=0\n"
                                                                        "gpu10 lots=8\n"
                                                                        "[2001:db8::9]:2222 slots=8\n"));
    QVERIFY(imported);
    QCOMPARE(shown(*imported), "gpu1=gpu1*8 gpu2=gpu2*8 10.0.0.13=alice@10.0.0.13*2 10.0.0.14=10.0.0.14*8 "
                               "gpu05=gpu05*4 gpu06=gpu06*4 gpu07=gpu07*4 gpu8=gpu8*8 "
                               "2001-db8--9-2222=[2001:db8::9]:2222*8");
    QCOMPARE(imported->problems.size(), 2);
    QCOMPARE(imported->problems[0].line, 8);
    QVERIFY(imported->problems[0].problem.contains("0 slots"));
    QCOMPARE(imported->problems[1].line, 9);
    QVERIFY(imported->problems[1].problem.contains("lots=8"));
}

void TestImportedNodes::refused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << ""
                           << "empty";
    QTest::newRow("all comment") << "# gpu1\n\n#gpu2\n"
                                 << "empty or all comment";
    QTest::newRow("all wrong") << "gpu1 lots=8\n"
                               << "line 1";
    QTest::newRow("placeholders") << "XX,XX slots=8\nXX,XX slots=8\n"
                                  << "line 1: XX is named twice in one line";
    QTest::newRow("YAML cut off") << "all:\n  hosts:\n    g1: {ansible_host: 10.0.0.2\n"
                                  << "line 4 is none";
    QTest::newRow("a playbook") << "- hosts: all\n  tasks: []\n"
                                << "a playbook";
    QTest::newRow("a recipe") << "plugin: aws_ec2\nregions: [x]\n"
                              << "the plugin \"aws_ec2\"";
    QTest::newRow("YAML of nothing") << "all:\n  children:\n    gpu:\n"
                                     << "names no host";
    QTest::newRow("a table without header") << "job-28,10.95.230.149\njob-29,10.95.230.153\n"
                                            << "a table without a header";
    QTest::newRow("slots behind commas") << "gpu1,8\ngpu2,8\n"
                                         << "line 1: \"8\" is a number, not a host";
    QTest::newRow("curves of a training") << "epoch,step,loss\n0,229,0.0290\n"
                                          << "a table without a header";
    QTest::newRow("ifconfig") << "RX packets 7  bytes 9 (9.0 B)\n  inet 10.0.0.1  netmask 255.255.255.0\n  inet 8\n"
                                 "  RX errors 0  dropped 0\n"
                              << "3 of 4 lines name no host, so this is hardly a list of hosts";
    QTest::newRow("a table of other things") << "GPU\tNode\tState\nGPU0\tNV1\tX\nLegend:\n\nX\n"
                                             << "2 of 3 lines name no host";
    QTest::newRow("XML") << "<?xml version=\"1.0\" ?>\n<log>\n<gpu>\nNone\n</gpu></log>\n"
                         << "hardly a list of hosts and none was taken over. The host file line 1: ";
    QTest::newRow("fields that nothing names") << "7|#gpu|#n1\n8|#gpu|#n2\n"
                                               << "a table without a header";
    QTest::newRow("jobs without nodes") << "JOBID;ST;NODES;USER\n5;PD;1;u\n"
                                        << "without a column of nodes";
    QTest::newRow("pending jobs only") << "JobId=8 JobState=PENDING NodeList=(null)\n"
                                       << "job 8 has no nodes";
    QTest::newRow("JSON cut off") << "{\"nodes\": [\n"
                                  << "looks like JSON, but line";
    QTest::newRow("Ansible's JSON of nothing") << "{\"_meta\": {\"hostvars\": {}}, \"all\": {\"children\": []}}"
                                               << "names no host";
    QTest::newRow("hosts by templates alone") << "w1 ansible_host={{x}}\n"
                                              << "no line that names a host: line 1: ansible_host of w1 is a template";
    QTest::newRow("other JSON") << "{\"a\": 1}"
                                << "JSON without nodes";
    QTest::newRow("commas alone") << ",\n,,\n"
                                  << "line 1: a host is missing beside the comma";
    QTest::newRow("bytes") << QString(QChar(0)) + "x"
                           << "no text";
    QTest::newRow("empty group") << "[all]\n"
                                 << "names no host";
}

void TestImportedNodes::refused()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    const Result<ImportedNodes> imported = importText(text.toUtf8());
    QVERIFY2(!imported, imported ? qPrintable(shown(*imported)) : "");
    QVERIFY2(imported.error().text.contains(says), qPrintable(imported.error().text));
}

void TestImportedNodes::aliases()
{
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(QDir(folder.path()).mkdir("conf.d"));
    QVERIFY(write("config", "Include conf.d/*.conf\nHost *\n  User default\nhost gpu-1 gpu-? !gpu-9\n\tHostName "
                            "10.0.0.11\nHost=\"gpu-2\"\nMatch host x\n  User y\nHost gpu-1\n"));
    QVERIFY(write("conf.d/a.conf", "Host jump # the hop\n  Port 2222\n"));
    QVERIFY(write("conf.d/b.conf", "Include config-of-nobody\nInclude b.conf\nHost inner\n"));
    const Result<ImportedNodes> imported = importSshConfig(folder.filePath("config"));
    QVERIFY(imported);
    QCOMPARE(shown(*imported), "jump=jump inner=inner gpu-1=gpu-1 gpu-2=gpu-2");
    QCOMPARE(importFile(folder.filePath("config"))->nodes, imported->nodes);
    QVERIFY(!importSshConfig(folder.filePath("none")));
    QVERIFY(!importFile(folder.filePath("none")));
    QVERIFY(
        write("names", "Host a b c\n  HostName 10.0.0.1\nHost d e\n  HostName %h.x\nHost *\n  HostName y\nHost f\n"));
    const Result<ImportedNodes> names = importSshConfig(folder.filePath("names"));
    QVERIFY(names);
    QCOMPARE(shown(*names), "a=a d=d e=e f=f"); // one machine; two; and one
    QCOMPARE(problems(*names), "line 1: b, c: other names of a, of which one is enough");
    QVERIFY(write("matches",
                  "Match originalhost a,b* exec \"true\"\r\n User x\r\nMatch !originalhost c\r\n User y\r\nMatch "
                  "user z OriginalHost \"d\"\r\nHost \"e f\" g\r\n"));
    const Result<ImportedNodes> matches = importSshConfig(folder.filePath("matches"));
    QVERIFY(matches);
    QCOMPARE(shown(*matches), "a=a d=d g=g");
    QVERIFY2(problems(*matches).startsWith("line 6: \"e f\""), qPrintable(problems(*matches)));
    for (const QByteArray other :
         {"Host IP GPUs\ngpu1 10.0.0.1 8\n", "host slots=4\n", "Host VGPU Mode : N/A\n  Driver Version 5\n"}) {
        QVERIFY(write("other", other)); // no ssh_config, though a line begins as in one
        const Result<ImportedNodes> read = importFile(folder.filePath("other"));
        QVERIFY2(!read || shown(*read) == "gpu1=10.0.0.1*8" || shown(*read) == "host=host*4", other.constData());
    }
    QVERIFY(write("stars", "Host *\n"));
    QCOMPARE(importFile(folder.filePath("stars")).error().text,
             folder.filePath("stars") + ": This ssh_config names no host without wildcards.");
}

// group_vars and host_vars, in Ansible's own order: what the inventory says of groups, then group_vars from the outer
// groups to the inner ones, then the host there, then host_vars.
void TestImportedNodes::besideAnsible()
{
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
        const QString path = folder.filePath(name);
        QFile file(path);
        return QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
               file.write(text) == text.size();
    };
    QVERIFY(write("hosts", "[inner]\na\nb ansible_port=3\nc\nd\ne\n[outer:children]\ninner\n[inner:vars]\n"
                           "ansible_user=inventory\nansible_port=1\nansible_ssh_private_key_file=~/inventory\n"));
    QVERIFY(write("group_vars/all.yml", "---\nansible_user: all\nansible_port: 2\ngate: 10.0.0.9\n"));
    QVERIFY(write("group_vars/outer/10-user.yaml", "ansible_user: outer\n"));
    QVERIFY(write("group_vars/outer/20-more/ssh", "ansible_ssh_common_args: '-o ProxyJump=ops@{{ gate }}'\n"));
    QVERIFY(write("group_vars/outer/.hidden.yml", "ansible_user: hidden\n"));
    QVERIFY(write("group_vars/outer/backup.yml~", "ansible_user: backup\n"));
    QVERIFY(write("group_vars/outer/notes.txt", "ansible_user: notes\n"));
    QVERIFY(write("group_vars/outer/vault.yml", "$ANSIBLE_VAULT;1.1;AES256\n6161\n"));
    QVERIFY(write("group_vars/inner.json", "{\"ansible_user\": \"inner\"}"));
    QVERIFY(write("host_vars/a.yml", "ansible_host: 10.0.0.1\nansible_user: own\n"));
    QVERIFY(write("host_vars/b", "ansible_port: 4\n"));
    QVERIFY(write("host_vars/c.yml", "\nansible_host: \"{{ lookup('env', 'C') }}\"\n"));
    QVERIFY(write("host_vars/d.yml", "x: 1\nansible_host: [\n"));
    QVERIFY(write("host_vars/e.yml", "- a list\n"));
    const Result<ImportedNodes> imported = importFile(folder.filePath("hosts"));
    QVERIFY2(imported, imported ? "" : qPrintable(imported.error().text));
    const QString rest = "#outer+inner%~/inventory~ops@10.0.0.9";
    QCOMPARE(shown(*imported),
             "a=own@10.0.0.1:2" + rest + " b=inner@b:4" + rest + " d=inner@d:2" + rest + " e=inner@e:2" + rest);
    const QString told = problems(*imported).replace(folder.path() + '/', "");
    QVERIFY2(told.contains("group_vars/outer/vault.yml line 1: this file is encrypted by ansible-vault"),
             qPrintable(told));
    QVERIFY2(told.contains("host_vars/c.yml line 2: ansible_host of c is a template which only Ansible can fill in "
                           "({{ lookup('env', 'C') }}): left out"),
             qPrintable(told));
    QVERIFY2(told.contains("host_vars/d.yml line 3: this is no YAML"), qPrintable(told));
    QVERIFY2(told.contains("host_vars/e.yml line 1: variables are written name: value"), qPrintable(told));
    QCOMPARE(imported->problems.size(), 4);
    QCOMPARE(placedProblem("hosts", imported->problems.last()).section(':', 1, 1), "1");
    // A host whose name climbs out of the folder reads nothing there.
    QVERIFY(write("outside.yml", "ansible_user: climbed\n"));
    QVERIFY(write("climbs", "[../outside]\nw1\n[all:vars]\nansible_user=bob\n"));
    const Result<ImportedNodes> climbs = importFile(folder.filePath("climbs"));
    QVERIFY(climbs && climbs->nodes[0].address.user == "all");
}

void TestImportedNodes::example()
{
    QFile file(QStringLiteral(LOCKSTEP_SOURCE_DIR "/examples/hostfile"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Result<ImportedNodes> imported = importText(file.readAll());
    QVERIFY(imported && imported->problems.isEmpty());
    QCOMPARE(imported->nodes.size(), 6);
}

QTEST_GUILESS_MAIN(TestImportedNodes)
#include "tst_importednodes.moc"
