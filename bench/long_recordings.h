// Recordings of any length, as a lab with a treadmill would write them: somebody who walks on two
// belts with a force plate each.
#pragma once

#include <cstddef>
#include <string>

namespace vesica::bench {

// Files of about so many bytes. The C3D has 50 markers at 100 Hz and 12 channels of two plates at
// 1,000 Hz; the TRC 50 markers with seven digits; the MOT the forces of two plates at 1,000 Hz.
void write_long_c3d(const std::string& path, std::size_t bytes);
void write_long_trc(const std::string& path, std::size_t bytes);
void write_long_mot(const std::string& path, std::size_t bytes);

}  // namespace vesica::bench
