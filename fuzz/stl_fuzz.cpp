// Any bytes as STL: a checked mesh or an InputError, nothing else.
#include "vesica/io/stl.h"

#include <cstdint>
#include <cstdlib>

#include "vesica/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto mesh =
        vesica::parse_stl({reinterpret_cast<const char*>(data), size}, "fuzz.stl", 0.001);
    // What the checks promise.
    if (!(mesh.solid().volume > 0) || !mesh.solid().centroid.allFinite()) std::abort();
  } catch (const vesica::InputError&) {
  }
  return 0;
}
