// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/maderun.h"

#include "tests/ui/madespool.h"

namespace lockstep::made {

namespace {

RunState liveState(const RunData& run, const QString& name, int number, qint64 startWallUs, qint64 nowWallUs)
{
    RunState state = run.state();
    state.id = QStringLiteral("20261129-123000-") + name;
    state.number = number;
    state.name = name;
    state.phase = RunPhase::Running;
    state.createdWallUs = state.startedWallUs = startWallUs;
    for (NodeRunState& node : state.nodes) {
        node.link = LinkPhase::Live;
        node.lastHeardWallUs = nowWallUs;
    }
    return state;
}

void begin(RunData& run, const QString& name, int number, int nodes, int ranksEach, const QString& device,
           qint64 startWallUs, qint64 nowWallUs)
{
    RunSpec spec;
    spec.name = name;
    run.setPlan(spec, planOf(nodes, ranksEach, device));
    run.setState(liveState(run, name, number, startWallUs, nowWallUs));
}

std::unique_ptr<RunData> made(void (*fill)(RunData&, qint64), qint64 nowWallUs)
{
    auto run = std::make_unique<RunData>();
    fill(*run, nowWallUs);
    return run;
}

} // namespace

std::unique_ptr<RunData> emptyRun(int nodes, int ranksEach, qint64 nowWallUs)
{
    auto run = std::make_unique<RunData>();
    begin(*run, QStringLiteral("made"), 1, nodes, ranksEach, QStringLiteral("H100 80GB"), nowWallUs - 60'000'000,
          nowWallUs);
    return run;
}

std::unique_ptr<RunData> liveRun(qint64 nowWallUs)
{
    return made(fillLive, nowWallUs);
}

std::unique_ptr<RunData> wideRun(qint64 nowWallUs)
{
    return made(fillWide, nowWallUs);
}

std::unique_ptr<RunData> failedRun(qint64 nowWallUs)
{
    return made(fillFailed, nowWallUs);
}

std::unique_ptr<RunData> demoRun(qint64 nowWallUs)
{
    return made(fillDemo, nowWallUs);
}

void feed(RunData& run, int nodeIndex, std::string_view spool)
{
    RunDecoder decoder(nodeIndex, 0);
    decoder.setStartWallUs(run.state().startedWallUs);
    run.apply(decoder.feed(spool));
}

std::string hello(const RunData& run, int nodeIndex)
{
    Spool spool(run, nodeIndex);
    return spool.text();
}

void fillLive(RunData& run, qint64 nowWallUs)
{
    constexpr double kSeconds = 760.8;
    begin(run, QStringLiteral("resnet50-imagenet"), 12, 2, 4, QStringLiteral("H100 80GB"),
          nowWallUs - static_cast<qint64>((kSeconds + 0.2) * 1e6), nowWallUs);
    RunState state = run.state();
    state.nodes[0].clockOffsetUs = 800;
    state.nodes[1].clockOffsetUs = -300;
    run.setState(state);
    Training training{.steps = 4210,
                      .totalSteps = 9380,
                      .stepsPerEpoch = 625,
                      .seconds = kSeconds,
                      .samplesPerS = 1415,
                      .lossFrom = 7.2,
                      .lossTo = 2.28,
                      .lossTau = 165,
                      .noise = 0.11};
    training.parts = {6, 51, 93, 16, 12};
    training.memoryGiB = 57;
    training.pauseEvery = 113;
    training.worstRank = 6;
    training.worstBy = 0.17;
    training.slowRank = 6;
    training.slowMs = 9;
    training.slowFrom = 500;
    for (int node = 0; node < 2; ++node) {
        Spool spool(run, node);
        spool.train(training);
        const double at = kSeconds;
        if (node == 0) {
            spool.say(0, at - 442, "epoch 3 train loss 2.871 top1 38.2");
            spool.say(0, at - 440, "saved ckpt/epoch3.pt 98 MB in 1.9 s");
            spool.say(3, at - 399, "grad norm 2.07");
            spool.say(0, at - 328, "epoch 4 train loss 2.634 top1 43.1");
            spool.say(0, at - 327, "saved ckpt/epoch4.pt 98 MB in 1.9 s");
            spool.say(0, at - 216, "epoch 5 train loss 2.534 top1 45.1");
            spool.say(0, at - 214, "saved ckpt/epoch5.pt 98 MB in 1.9 s");
            spool.say(0, at - 149, "step 3386 loss 2.51 lr 0.78");
            spool.say(0, at - 103, "epoch 6 train loss 2.446 top1 47.2");
            spool.say(0, at - 101, "saved ckpt/epoch6.pt 98 MB in 1.9 s");
            spool.say(1, at - 98, "grad norm 1.92");
            spool.say(2, at - 93, "lr 0.7841 -> 0.7712");
            spool.say(0, at - 31, "step 4038 loss 2.49 lr 0.77");
            spool.say(0, at - 0.3, "step 4210 loss 2.47 lr 0.77");
        } else {
            spool.say(4, at - 440, "loader: 12 workers warm");
            spool.say(4, at - 326, "loader: 12 workers warm");
            spool.say(7, at - 213, "loader: 12 workers warm");
            spool.sayError(6, at - 109, "UserWarning: corrupt EXIF in n02110341_7");
            spool.sayError(6, at - 109, "  warnings.warn(str(msg))");
            spool.say(5, at - 101, "loader: 12 workers warm");
            spool.say(4, at - 14, "grad norm 1.90");
        }
        feed(run, node, spool.text());
    }
}

void fillWide(RunData& run, qint64 nowWallUs)
{
    constexpr double kSeconds = 302, kLostAfter = 290;
    begin(run, QStringLiteral("gpt-1b-fineweb"), 31, 8, 8, QStringLiteral("H100 80GB"),
          nowWallUs - static_cast<qint64>((kSeconds + 0.3) * 1e6), nowWallUs);
    RunState state = run.state();
    state.nodes[5].link = LinkPhase::Reconnecting;
    state.nodes[5].linkReason = QStringLiteral("No route to host; next try in 3 s.");
    state.nodes[5].lastHeardWallUs = nowWallUs - 12'000'000;
    run.setState(state);
    Training training{.steps = 628,
                      .totalSteps = 20000,
                      .stepsPerEpoch = 20000,
                      .seconds = kSeconds,
                      .samplesPerS = 16.8,
                      .lossFrom = 11,
                      .lossTo = 5.75,
                      .lossTau = 75,
                      .noise = 0.13};
    training.parts = {16, 135, 265, 42, 32};
    training.memoryGiB = 71.2;
    training.pauseEvery = 125;
    training.rankSpread = 1;
    training.worstRank = 19;
    training.worstBy = 0.8;
    training.nanRank = 37;
    training.nanStep = 395;
    training.starvedNode = 6;
    for (int node = 0; node < 8; ++node) {
        Training own = training;
        own.until = node == 5 ? kLostAfter : kSeconds;
        Spool spool(run, node);
        spool.train(own);
        if (node == 0) {
            spool.say(0, 190.4, "step 395 skipped: a rank has no finite loss");
            spool.say(0, 191.1, "step 396 loss 6.71 lr 1.19e-4");
            spool.say(0, 262, "step 543 loss 6.09 lr 1.63e-4");
            spool.say(0, 299, "step 622 loss 5.86 lr 1.87e-4");
            spool.say(0, 301.7, "step 628 loss 5.74 lr 1.88e-4");
        }
        if (node == 4) {
            spool.sayError(37, 190.1, "loss is nan at step 395, batch 25280");
            spool.sayError(37, 190.1, "grad norm inf before clipping");
        }
        feed(run, node, spool.text());
    }
}

void fillFailed(RunData& run, qint64 nowWallUs)
{
    constexpr double kSeconds = 2832;
    begin(run, QStringLiteral("vit-b16-imagenet"), 27, 2, 4, QStringLiteral("H100 80GB"),
          nowWallUs - static_cast<qint64>((kSeconds + 30) * 1e6), nowWallUs);
    Training training{.steps = 6204,
                      .totalSteps = 18760,
                      .stepsPerEpoch = 626,
                      .seconds = kSeconds,
                      .samplesPerS = 560,
                      .lossFrom = 7.1,
                      .lossTo = 2.95,
                      .lossTau = 800,
                      .noise = 0.11};
    training.parts = {20, 130, 240, 30, 36};
    training.memoryGiB = 61;
    training.leakRank = 5;
    for (int node = 0; node < 2; ++node) {
        Spool spool(run, node);
        spool.train(training);
        if (node == 1) {
            for (int i = 0; i < 4; ++i)
                spool.say(5, kSeconds - 10 + 2.5 * i,
                          "step " + std::to_string(6201 + i) + " loss 3.1" + std::to_string(18 - 3 * i));
            spool.sayError(5, kSeconds - 1.2, "UserWarning: cache of decoded images holds 412,008 entries");
            spool.exit(5, kSeconds, 0, 9);
            for (const int rank : {4, 6, 7}) {
                spool.sayError(rank, kSeconds + 1.9, "RuntimeError: Connection closed by peer 10.1.0.12");
                spool.exit(rank, kSeconds + 1.904 + 0.002 * rank, 7, 0);
            }
            spool.end(kSeconds + 2.2, 4);
        } else {
            spool.stopping(kSeconds + 1.9);
            for (const int rank : {0, 1, 2, 3})
                spool.exit(rank, kSeconds + 1.93 + 0.0004 * rank, 0, 15);
            spool.end(kSeconds + 2.3, 4);
        }
        feed(run, node, spool.text());
    }
    RunState state = run.state();
    state.phase = RunPhase::Failed;
    if (state.endedWallUs == 0)
        state.endedWallUs = state.startedWallUs + static_cast<qint64>(kSeconds * 1e6);
    for (NodeRunState& node : state.nodes)
        node.link = LinkPhase::Ended;
    run.setState(state);
}

void fillDemo(RunData& run, qint64 nowWallUs)
{
    constexpr double kSeconds = 38;
    begin(run, QStringLiteral("demo"), 1, 1, 2, QStringLiteral("cpu"),
          nowWallUs - static_cast<qint64>((kSeconds + 0.1) * 1e6), nowWallUs);
    Training training{.steps = 560,
                      .totalSteps = 940,
                      .stepsPerEpoch = 470,
                      .seconds = kSeconds,
                      .samplesPerS = 940,
                      .lossFrom = 2.3,
                      .lossTo = 0.42,
                      .lossTau = 5,
                      .noise = 0.09};
    training.parts = {1.2, 22, 34, 4, 2};
    training.memoryGiB = 0.4;
    Spool spool(run, 0);
    spool.train(training);
    spool.say(0, 1, "cnn, 421,642 parameters, Fashion-MNIST, batch 64 a rank");
    spool.say(0, 32, "epoch 1 train loss 0.612 test accuracy 83.9 %");
    feed(run, 0, spool.text());
}

} // namespace lockstep::made
