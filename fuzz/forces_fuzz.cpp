// Any bytes as a population or a calibration of ground forces: either reads back as it is written,
// or is an InputError, nothing else.
#include <cstdint>
#include <string>

#include "vesica/error.h"
#include "vesica/forces/files.h"
#include "vesica/io/yaml.h"

namespace {

using vesica::InputFile;

template <class Read, class Write>
void check(const std::string& text, const Read& read, const Write& write) {
  const std::string written = write(read(InputFile::parse(text, "fuzz.yaml")));
  if (write(read(InputFile::parse(written, "written.yaml"))) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    if (vesica::forces::is_population(InputFile::parse(text, "fuzz.yaml"))) {
      check(text, vesica::forces::read_population, vesica::forces::make_population_yaml);
    } else {
      check(text, vesica::forces::read_calibration, vesica::forces::make_calibration_yaml);
    }
  } catch (const vesica::InputError&) {
  }
  return 0;
}
