// YAML cases: any bytes either make a case that can be evaluated, or an InputError; never a crash,
// a hang or anything undefined.
#include <cstdint>
#include <string>

#include "vesica/model/probe.h"
#include "vesica/error.h"
#include "vesica/io/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto probe = vesica::read_probe_case(vesica::InputFile::parse(text, "fuzz.yaml"));
    vesica::calc_contact(probe.contact, probe.i, probe.j, probe.memory);
  } catch (const vesica::InputError&) {
  }
  return 0;
}
