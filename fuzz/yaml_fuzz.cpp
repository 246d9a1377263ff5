// YAML cases and scenes: any bytes either make a case that can be evaluated, or a scene that reads
// back as it is written, or an InputError; never a crash, a hang or anything undefined.
#include <cstdint>
#include <string>

#include "vesica/error.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = vesica::InputFile::parse(text, "fuzz.yaml");
    if (vesica::is_scene(file)) {
      const std::string written = vesica::write_model(vesica::read_model(file));
      const auto again = vesica::InputFile::parse(written, "written.yaml");
      if (vesica::write_model(vesica::read_model(again)) != written) __builtin_trap();
      return 0;
    }
    const auto probe = vesica::read_probe_case(file);
    vesica::calc_contact(probe.contact, probe.i, probe.j, probe.memory);
  } catch (const vesica::InputError&) {
  }
  return 0;
}
