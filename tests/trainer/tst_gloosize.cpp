// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel ships no Gloo headers; trainer/standin has five of ours. If they gave ProcessGroupGloo another size than
// the library's, make_intrusive would allocate too little: the library's own deleting destructor says what it is.
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <cstddef>

namespace lockstep::trainer {
std::size_t sizeOfProcessGroupGloo(); // trainer/gloobackend.h, whose other half takes seconds to read
}

namespace {

constexpr char kDestructor[] = "_ZN4c10d16ProcessGroupGlooD0Ev";
constexpr char kLibrary[] = LOCKSTEP_TORCH_LIB "/libtorch_cpu.so";

QString output(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    process.waitForFinished(60'000);
    return QString::fromLocal8Bit(process.readAllStandardOutput());
}

} // namespace

class TestGlooSize : public QObject {
    Q_OBJECT

private slots:
    void standInsGiveTheLibrarysSize();
};

void TestGlooSize::standInsGiveTheLibrarysSize()
{
    const QString symbols = output("nm", {"-D", "--defined-only", "-S", kLibrary});
    const auto symbol =
        QRegularExpression(QStringLiteral("([0-9a-f]+) ([0-9a-f]+) \\w %1").arg(kDestructor)).match(symbols);
    QVERIFY(symbol.hasMatch());
    const qulonglong start = symbol.captured(1).toULongLong(nullptr, 16);
    const qulonglong end = start + symbol.captured(2).toULongLong(nullptr, 16);
    const QString code = output("objdump", {"-d", "--no-show-raw-insn", QStringLiteral("--start-address=%1").arg(start),
                                            QStringLiteral("--stop-address=%1").arg(end), kLibrary});
    // operator delete(void*, unsigned long): the size is its second argument.
    const auto size = QRegularExpression(QStringLiteral("mov +\\$0x([0-9a-f]+),%esi")).match(code);
    QVERIFY2(size.hasMatch(), qPrintable(code));
    QCOMPARE(lockstep::trainer::sizeOfProcessGroupGloo(), size.captured(1).toULongLong(nullptr, 16));
}

QTEST_GUILESS_MAIN(TestGlooSize)
#include "tst_gloosize.moc"
