// What a folder of results belongs to: the study, its inputs with their hashes, the version.
#pragma once

#include <string>
#include <vector>

#include "vesica/studies/study.h"

namespace vesica::studies {

// One word for all that a row depends on: study, inputs and version.
std::string calc_study_hash(const Study& study, const std::string& version);

// Notes it in the folder, or compares with what is noted: InputError that lists the differences
// where the study, an input or the version is another. What changes no row (title, description,
// best, keep, time_limit) may differ.
void settle_folder(const Study& study, const std::string& version, const std::string& folder);

// Differences of two studies, one line each: "design.runs: 100 there, 200 here".
std::vector<std::string> list_differences(const InputFile& there, const InputFile& here);

}  // namespace vesica::studies
