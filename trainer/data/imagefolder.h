// SPDX-License-Identifier: GPL-3.0-or-later
// Images in folders, a folder a class, decoded when they are asked for: FOLDER/train/CLASS/…, and FOLDER/val/CLASS/… or
// FOLDER/test/CLASS/…. Classes are numbered in the order of their names, files are taken in the order of theirs (as
// torchvision's ImageFolder); .jpg, .jpeg and .png in any case count, folders within a class too.
#pragma once

#include "trainer/data/bytescale.h"
#include "trainer/data/dataset.h"

#include <string>
#include <vector>

namespace lockstep::trainer {

class ImageFolder : public Dataset {
public:
    // `classes`: the training part's, or empty to take this folder's own. Throws Failure(Data) for a class without an
    // image, and for one that `classes` lacks.
    ImageFolder(std::string folder, std::vector<std::string> classes, const SampleShape& shape, Augment augment);

    [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(m_files.size()); }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

    [[nodiscard]] const std::vector<std::string>& classes() const { return m_classes; }

private:
    struct File {
        std::string name; // below the folder
        std::int32_t label = 0;
    };
    void list(const std::string& name, std::int32_t label);

    std::string m_folder;
    std::vector<std::string> m_classes;
    SampleShape m_shape;
    Augment m_augment;
    ByteScale m_scale;
    std::vector<File> m_files;
};

[[nodiscard]] DataSplit imageFolderData(const Options& options);

} // namespace lockstep::trainer
