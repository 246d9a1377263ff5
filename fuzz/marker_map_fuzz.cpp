// Any bytes as a map of marker names, as YAML and as CSV: a map whose names can be applied, or an
// InputError, nothing else.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "vesica/error.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/yaml.h"

namespace {

void check_map(const vesica::MarkerMap& map) {
  if (map.entries.empty()) std::abort();
  vesica::MarkerTracks markers;
  markers.labels = {map.entries[0].from, "another marker"};
  try {
    if (vesica::rename_markers(map, &markers).count == 0) std::abort();
    if (markers.labels[0] == markers.labels[1]) std::abort();
  } catch (const vesica::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check_map(vesica::read_marker_map(vesica::InputFile::parse(text, "fuzz.yaml")));
  } catch (const vesica::InputError&) {
  }
  try {
    std::istringstream stream(text);
    check_map(vesica::read_marker_map_csv(stream, "fuzz.csv"));
  } catch (const vesica::InputError&) {
  }
  return 0;
}
