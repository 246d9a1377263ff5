// Any bytes as a C3D: what the reader promises, or an InputError, nothing else; and what was read
// is written such that it reads back and is written as the same bytes.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>

#include "fuzz/check_trial.h"
#include "vesica/error.h"
#include "vesica/io/c3d.h"

namespace {

void check_output(const vesica::MotionTrial& trial) {
  std::string bytes;
  try {
    bytes = vesica::encode_c3d(trial, "fuzz");
  } catch (const vesica::InputError&) {
    return;  // labels or parameters that the reader forgives and the writer does not repeat
  }
  std::istringstream stream(bytes);
  const vesica::MotionTrial again = vesica::read_c3d(stream, "written");
  if (vesica::encode_c3d(again, "fuzz") != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const vesica::MotionTrial trial = vesica::read_c3d(stream, "fuzz");
    vesica::check_trial(trial);
    // Writing and reading again takes twice as long as reading: a quarter of the inputs, by a sum
    // over their bytes so that what fails once fails again.
    if (std::accumulate(data, data + size, std::size_t{0}) % 4 == 0) check_output(trial);
  } catch (const vesica::InputError&) {
  }
  return 0;
}
