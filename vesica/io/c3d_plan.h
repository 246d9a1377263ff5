// How a recording becomes a C3D file: everything that is decided before the first byte is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vesica/error.h"
#include "vesica/io/c3d.h"

namespace vesica::detail {

inline constexpr std::int64_t kLargestWord = 65535;

struct C3dPlan {
  std::string name;  // of the file, for messages
  C3dByteOrder order = C3dByteOrder::kIntel;
  bool floats = true;
  double scale = 1.0;  // POINT:SCALE without its sign
  double units_per_metre = 1000.0;
  std::size_t points = 0, computed = 0, channels = 0, samples = 0;
  std::int64_t first_frame = 1, frames = 0;
  float rate = 0.0f;
  double shift = 0.0;           // s: times in the file minus times of the trial
  std::size_t first_index = 0;  // of the trial's frames
  std::size_t first_row = 0;    // of the analog table, at that frame
  struct Source {
    bool is_computed;
    std::size_t index;  // of the markers, or of the computed points
  };
  std::vector<Source> order_of_points;
  bool analog_as_source = false;
  C3dAnalogScaling scaling;
  C3dParameters parameters;
  bool keeps_header_events = true;  // those of the header block hold as they are
  std::vector<std::string> notes;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(name + ": not written: " + why);
  }
};

// Throws InputError for what save_c3d() refuses.
C3dPlan make_c3d_plan(const MotionTrial& trial, const std::string& name,
                      const C3dSaveOptions& options);

// Parts of it, in files of their own: EVENT, and FORCE_PLATFORM (`turned` with the recording).
void plan_c3d_events(const MotionTrial& trial, C3dPlan* plan);
void plan_c3d_plates(const MotionTrial& trial, bool turned, C3dPlan* plan);

}  // namespace vesica::detail
