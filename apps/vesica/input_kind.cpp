#include "apps/vesica/input_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/forces/files.h"
#include "vesica/identification/bench_study.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/identification/foot_drag.h"
#include "vesica/identification/foot_people.h"
#include "vesica/identification/foot_study.h"
#include "vesica/io/marker_map.h"
#include "vesica/markers/study.h"
#include "vesica/model/model_file.h"
#include "vesica/studies/scene_fit.h"
#include "vesica/studies/study.h"

namespace vesica::app {

std::string_view find_reader(const InputFile& file) {
  if (!file.root().is_map()) return {};
  if (studies::is_study(file)) return "study";
  if (is_scene(file)) return "simulate";
  if (forces::is_population(file)) return "forces";
  if (forces::is_calibration(file)) return "forces predict";
  if (is_marker_map(file)) return "markers --map";
  if (markers::is_study(file) || file.root().find("segments")) return "markers";
  if (is_foot_study(file) || is_foot_people(file) || is_foot2d_study(file) || is_drag_study(file) ||
      studies::is_scene_fit(file) || is_bench_study(file)) {
    return "identify";
  }
  return file.root().find("contact") ? "probe" : std::string_view{};
}

void expect_input_for(const std::vector<std::string_view>& commands, const InputFile& file) {
  const std::string_view reader = find_reader(file);
  if (reader.empty() || std::find(commands.begin(), commands.end(), reader) != commands.end()) {
    return;
  }
  throw InputError(fmt::format("{}: this is an input for `vesica {}`, not for `vesica {}`",
                               file.name(), reader, commands.front()));
}

}  // namespace vesica::app
