// What is refused before a run, with the place in the file, because it would end badly later.
#pragma once

#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/system.h"

namespace vesica {

// Rows of a recording that is kept in memory, `numbers` for each, against the machine's memory.
void check_memory(const Model& model, const RunOptions& options, double numbers);

// The same on disk: `bytes` for each row, against the room in the folder.
void check_disk(const Model& model, const RunOptions& options, double bytes,
                const std::string& folder);

// Pressure maps on disk.
void check_map_disk(const Model& model, const RunOptions& options, const std::string& folder);

// A start whose forces, accelerations or energies are not finite: names the body.
void check_start(const Model& model, const System<double>& system);

}  // namespace vesica
