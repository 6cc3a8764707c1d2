// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/modellibrary.h"

#include "trainer/failure.h"

#include <dlfcn.h>

#include <filesystem>

namespace lockstep::trainer {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why)
{
    throw Failure(ExitCode::Options, "--model library: " + file + ": " + why);
}

const ModelEntry& entryOf(const std::string& file)
{
    if (!std::filesystem::is_regular_file(file))
        refuse(file, "there is no such file");
    const std::string path = std::filesystem::absolute(file).string(); // dlopen searches for a name without a slash
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);       // never closed: the model's code is in it
    if (library == nullptr)
        refuse(file, std::string("it cannot be loaded: ") + dlerror());
    const auto function = reinterpret_cast<ModelEntryFunction>(dlsym(library, kModelEntryName));
    if (function == nullptr)
        refuse(file, std::string("it exports no ") + kModelEntryName + "; LOCKSTEP_MODEL(Class) of model.h does that");
    const ModelEntry& entry = *function();
    if (entry.abi != kModelAbi)
        refuse(file, "it was built with version " + std::to_string(entry.abi) + " of model.h, this trainer with " +
                         std::to_string(kModelAbi) + "; build it again");
    if (std::string(entry.torchVersion) != TORCH_VERSION)
        refuse(file, std::string("it was built for LibTorch ") + entry.torchVersion +
                         ", this trainer runs " TORCH_VERSION "; build it again");
    return entry;
}

} // namespace

std::shared_ptr<Model> makeLibraryModel(const std::string& file, const ModelOptions& options, const SampleShape& shape)
{
    const ModelEntry& entry = entryOf(file);
    try {
        std::shared_ptr<Model> model = entry.make(options, shape);
        if (!model)
            refuse(file, "it made no model");
        return model;
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& error) {
        refuse(file, std::string("its model cannot be made: ") + error.what());
    }
}

} // namespace lockstep::trainer
