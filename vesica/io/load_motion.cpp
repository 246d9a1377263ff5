#include "vesica/io/load_motion.h"

#include <filesystem>

#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/csv.h"
#include "vesica/io/output_file.h"
#include "vesica/io/pressure_film.h"
#include "vesica/io/sto.h"
#include "vesica/io/text_input.h"
#include "vesica/io/trc.h"

namespace vesica {

namespace {

bool begins_with(const std::string& path, std::string_view mark) {
  std::ifstream stream = open_input(path);
  std::string start(mark.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == mark;
}

}  // namespace

MotionTrial load_motion(const std::string& path) {
  note_recording(path);
  const std::string extension = as_lower(std::filesystem::path(path).extension().string());
  if (extension == ".trc") return load_trc(path);
  if (extension == ".mot" || extension == ".sto") return load_sto(path);
  if (extension == ".c3d") return load_c3d(path);
  if (extension == ".lst") return load_emed_lst(path);
  if (extension == ".asf") return load_fscan_asf(path);
  if (extension == ".csv") {
    return begins_with(path, kPressureCsvMark) ? load_pressure_csv(path) : load_csv(path);
  }
  throw InputError(path + ": the extension " + quote(extension) +
                   " is unknown; expected .trc, .mot, .sto, .c3d, .csv, .lst or .asf");
}

}  // namespace vesica
