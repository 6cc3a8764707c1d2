// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters that are gathered and freed together. Between uses a rank holds 1/world of them: its piece of the flat row
// of all, in fp32. The module's own tensors are views of a flat buffer whose memory exists only while the unit is
// whole.
//
// Emptying and filling the *same* storage again makes everything valid that autograd saved of the parameters,
// transposes too, without a copy; and as set_data keeps a parameter's version counter, autograd does not object.
//
// On a GPU c10d runs the collectives on NCCL's stream, which waits for what the current stream has at the call; wait()
// makes the current stream wait in turn. So a gather overlaps with what is computed between the two calls, its memory
// is allocated and freed in the order of the current stream, and the host never stalls.
#pragma once

#include "trainer/parallel/processgroup.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::trainer {

class ShardExchange;

class FsdpUnit {
public:
    // Blocks on a collective through this, so that the wait can be timed: it must call its argument.
    using Wait = std::function<void(const std::function<void()>& wait)>;

    // Takes rank 0's values, and the module's tensors over: from here on they are views of the unit's buffer, empty,
    // and of the type to compute in (fp32, or bf16).
    FsdpUnit(std::string name, const std::vector<at::Tensor>& parameters, at::ScalarType type, ProcessGroup& group,
             ShardExchange& exchange, Wait wait);
    ~FsdpUnit();

    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] double mib() const; // of the whole parameters in fp32, without padding
    // This rank's slice of each parameter: one dimension, perhaps no element; leaves, for the optimiser.
    [[nodiscard]] const std::vector<at::Tensor>& slices() const;

    // Whole parameters.
    void gather(); // begins; does nothing when the unit is whole or on its way
    void await();  // begins if need be, and returns when it is whole
    void free();

    // Gradients. `ready` is called in backward when the last parameter has its gradient.
    void whenGradientsAreReady(std::function<void()> ready);
    [[nodiscard]] bool someGradients() const; // came in this backward, but not all
    void keepGradients();                     // for the next backward to add to: in fp32, as Python keeps them
    void startReduction();                    // takes the gradients; zeros stand for those that did not come
    [[nodiscard]] bool reducing() const;      // between the two
    void finishReduction();
    // Which parameters had a gradient here in the reductions since the last addGradients().
    [[nodiscard]] const std::vector<bool>& had() const;
    // Adds what the reductions gave to the slices' gradients, of the parameters that `wanted` names.
    void addGradients(const std::vector<bool>& wanted);

    // Checkpoints. A tensor like each slice on every rank -> whole ones, views of one buffer, with the parameters'
    // shapes.
    [[nodiscard]] std::vector<at::Tensor> wholeOf(const std::vector<at::Tensor>& parts) const;
    // Rank 0's whole tensor of a parameter; others give an undefined one -> this rank's part.
    void scatter(std::size_t parameter, const at::Tensor& whole, const at::Tensor& part) const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lockstep::trainer
