// Any bytes as an emed film: what the reader promises, or an InputError, nothing else.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "fuzz/check_trial.h"
#include "vesica/error.h"
#include "vesica/io/pressure_film.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    vesica::check_trial(vesica::read_emed_lst(stream, "fuzz"));
  } catch (const vesica::InputError&) {
  }
  return 0;
}
