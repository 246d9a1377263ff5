// Any bytes as OBJ: a checked mesh or an InputError, nothing else.
#include "vesica/io/obj.h"

#include <cstdint>
#include <cstdlib>

#include "vesica/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto mesh =
        vesica::parse_obj({reinterpret_cast<const char*>(data), size}, "fuzz.obj", 0.001);
    // What the checks promise.
    if (!(mesh.solid().volume > 0) || !mesh.solid().centroid.allFinite()) std::abort();
  } catch (const vesica::InputError&) {
  }
  return 0;
}
