// From YAML to a study, in parts; study_file.cpp puts them together. Internal to studies/.
#pragma once

#include "vesica/studies/study.h"

namespace vesica::studies {

// What Sobol's sequence of 32 bits, the memory of a process (docs/formats/study.md) and a disk
// take.
inline constexpr std::uint64_t kMostRuns = 100000000;

// A whole number.
std::uint64_t read_count(const InputNode& node, std::uint64_t least,
                         std::uint64_t most = kMostRuns);

// factor_file.cpp
Factor read_factor(const std::string& name, const InputNode& node);
// What stands at a path of an input, items of lists by index or name; `plain`, unless null, gets
// the path with indices, and a dot at its end.
std::optional<InputNode> find_entry(const InputNode& root, std::string_view path,
                                    std::string* plain);
// What a factor is where the design leaves it alone, for the table and the tornado.
void fill_nominal_values(Study* study);

// design_file.cpp: `design`, `seed`, `vary`, `correlations`, `trials`.
void read_design(const InputNode& root, Study* study);

// study_checks.cpp: what can be known before a run. InputError with file, line and remedy.
void check_names(const Study& study);
void check_that_paths_differ(const Study& study);
void check_paths(const Study& study);
void check_ends(const Study& study);
// Checks outputs and curves against the first run that can start; units are settled here.
void settle_outputs(Study* study);

// study_inputs.cpp: files that runs depend on, with their hashes.
void hash_inputs(Study* study);

}  // namespace vesica::studies
