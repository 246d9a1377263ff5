// What `vesica simulate` left in a folder, read back. docs/formats/run.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/io/yaml.h"

namespace vesica {

// The folder of a run that has not ended, within the one that it will be: complete in itself, a
// second old at most. At the end its files move up.
inline constexpr char kPartialFolder[] = "partial";

struct RunFolder {
  std::string folder;
  nlohmann::ordered_json summary;
  TimeTable recording;
  InputFile scene;
  std::vector<std::string> findings;  // what does not fit together

  // A column that must be there; InputError where it is not.
  std::vector<double> column(const std::string& name) const;
  bool has(const std::string& name) const;
};

// The folder itself, or where its last run has not ended, the one within that holds what there is
// of it: also beside an earlier run that ended. FileError where there is neither.
std::string find_run_folder(const std::string& folder);

// For a message about such a folder within: which earlier run lies beside, and how to use it; empty
// where there is none.
std::string explain_earlier_run(const std::string& folder);

// A line for the user where the one within is used (`folder`, of find_run_folder) for the one that
// was `given`; empty where it is the same.
std::string explain_partial(const std::string& given, const std::string& folder);

// Throws FileError, with what to do, if the folder or one of its files is missing, InputError if
// one is broken.
RunFolder load_run_folder(const std::string& folder);

// Its recording, CSV or HDF5; empty: there is none.
std::string find_run_recording(const std::string& folder);

}  // namespace vesica
