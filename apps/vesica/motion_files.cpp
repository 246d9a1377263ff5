#include "apps/vesica/motion_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/csv.h"
#include "vesica/io/output_file.h"
#include "vesica/io/pressure_film.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/motion/external_loads.h"
#include "vesica/motion/plate_channels.h"
#include "vesica/report/motion_export.h"

namespace vesica::app {

namespace {

bool contains(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

FootBodies parse_foot_bodies(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size() ||
      text.find(',', comma + 1) != std::string::npos) {
    throw InputError(fmt::format(
        "--foot-bodies {}: expected the bodies of the right and of the left foot, calcn_r,calcn_l",
        text));
  }
  return {text.substr(0, comma), text.substr(comma + 1)};
}

// What a target is written from; made when first asked for.
class MotionFiles {
 public:
  MotionFiles(const MotionOutput& output, TrialView* view)
      : output_(output), view_(view), turns_(!output.R.isIdentity(1e-12)) {}
  ~MotionFiles() { as_turned(false); }
  MotionFiles(const MotionFiles&) = delete;
  MotionFiles& operator=(const MotionFiles&) = delete;

  const ExternalLoads& loads() {
    if (!loads_) {
      loads_ = assign_loads(*output_.plates, view_->analysis.contacts,
                            parse_foot_bodies(output_.foot_bodies));
    }
    return *loads_;
  }

  // "all" as what there is; the table of forces beside their description.
  std::vector<std::string> expand(const std::vector<std::string>& targets) {
    std::vector<std::string> list;
    for (const std::string& target : targets) {
      if (target != "all") {
        list.push_back(target);
        continue;
      }
      const MotionTrial& trial = view_->trial;
      const bool forces = !output_.plates->empty();
      if (trial.markers.markers() > 0) list.push_back("trc");
      if (forces || (trial.analog.rows() > 0 && trial.c3d == nullptr)) list.push_back("mot");
      if (forces && !loads().loads.empty()) list.push_back("loads.xml");
      if (trial.analog.rows() > 0 && trial.c3d != nullptr) {
        list.insert(list.end(), {"analog.csv", "analog.sto"});
      }
      if (trial.computed.rows() > 0) list.insert(list.end(), {"computed.csv", "computed.sto"});
      if (!trial.films.empty()) list.push_back("csv");
      list.push_back("events.csv");
      if (trial.c3d != nullptr) list.push_back("parameters.json");
    }
    if (contains(list, "loads.xml") && !contains(list, "mot")) list.push_back("mot");
    by_foot_ = contains(list, "loads.xml");
    return list;
  }

  void write(const std::string& target, const std::string& path) {
    if (target == "c3d") return write_c3d(path);
    const MotionTrial& trial = as_turned(true);
    if (target == "trc") {
      if (trial.markers.markers() == 0) fail("has no markers for a TRC");
      save_trc(path, trial.markers);
    } else if (target == "mot" || target == "sto") {
      const StoVersion version = target == "mot" ? StoVersion::kOne : StoVersion::kThree;
      if (!output_.plates->empty()) return save_sto(path, force_rows(), version);
      if (trial.analog.rows() == 0) fail("has no table or forces for a " + target);
      save_sto(path, trial.analog, version);
    } else if (target == "loads.xml") {
      write_loads(path);
    } else if (target == "events.csv") {
      save_text(path, make_events_csv(*view_));
    } else if (target == "parameters.json") {
      save_text(path, make_parameters_json(trial));
    } else if (target.starts_with("analog.") || target.starts_with("computed.")) {
      const bool analog = target.starts_with("analog.");
      const TimeTable& table = analog ? trial.analog : trial.computed;
      if (table.rows() == 0) fail(analog ? "has no analog channels" : "has no computed points");
      target.ends_with("csv") ? save_csv(path, table) : save_sto(path, table, StoVersion::kThree);
    } else if (!trial.films.empty()) {
      save_pressure_csv(path, trial.films[0]);
    } else {
      if (trial.markers.markers() > 0) {
        save_csv(path, make_marker_rows(trial.markers, view_->stem));
      } else if (!output_.plates->empty()) {
        save_csv(path, force_rows());
      } else {
        save_csv(path, trial.analog);
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(view_->trial.file + ": " + why);
  }

  const MotionTrial& as_turned(bool turned) {
    if (turns_ && turned != is_turned_) {
      rotate(&view_->trial, turned ? output_.R : Mat3d(output_.R.transpose()));
      is_turned_ = turned;
    }
    return view_->trial;
  }

  TableRows force_rows() {
    return make_force_rows(by_foot_ ? loads().plates : *output_.plates, view_->stem);
  }

  void write_loads(const std::string& path) {
    const ExternalLoads& found = loads();
    save_text(path, make_external_loads_xml(found, view_->stem, view_->stem + ".mot"));
    for (const ExternalLoads::Load& load : found.loads) {
      view_->edits.push_back(
          fmt::format("External loads: plate {} acts on {}.", load.plate, load.body));
    }
    for (const std::string& warning : found.warnings) view_->analysis.warnings.push_back(warning);
  }

  void write_c3d(const std::string& path) {
    const bool turned = output_.turned_c3d;
    const MotionTrial& source = as_turned(turned);
    const std::vector<PlateForces>& forces = turned ? *output_.plates : view_->analysis.plates;
    const bool from_table = source.plates.empty() && !forces.empty();
    MotionTrial with_plates;  // a copy, where forces of a table become channels
    if (from_table) {
      with_plates = source;
      make_plate_channels(forces, turned ? Vec3d(Vec3d::UnitY()) : view_->analysis.up,
                          &with_plates);
    }
    const MotionTrial& trial = from_table ? with_plates : source;
    if (from_table && !trial.plates.empty()) {
      view_->edits.push_back(fmt::format(
          "Forces became {} platform(s) of type 1, with edges 5 cm around their centres "
          "of pressure.",
          trial.plates.size()));
    } else if (output_.forces_differ && !trial.plates.empty()) {
      view_->edits.push_back(
          "The C3D has the plates' channels as recorded: --baseline and --filter-forces are not in "
          "it.");
    }
    C3dSaveOptions options;
    options.as_it_was = output_.c3d_as_it_was;
    if (output_.turned_c3d) {
      options.x_screen = "+X";
      options.y_screen = "+Y";
    }
    for (const std::string& note : save_c3d(path, trial, options)) {
      view_->edits.push_back("C3D: " + note);
    }
  }

  const MotionOutput& output_;
  TrialView* view_;
  std::optional<ExternalLoads> loads_;
  bool turns_ = false, is_turned_ = false;
  bool by_foot_ = false;
};

}  // namespace

const std::vector<std::string>& motion_targets() {
  static const std::vector<std::string> kTargets = {
      "trc",        "mot",        "sto",          "csv",          "c3d",        "loads.xml",
      "analog.csv", "analog.sto", "computed.csv", "computed.sto", "events.csv", "parameters.json",
      "all"};
  return kTargets;
}

void write_motion_files(const std::vector<std::string>& targets, const MotionOutput& output,
                        TrialView* view,
                        const std::function<std::string(const std::string&)>& path_of) {
  MotionFiles files(output, view);
  for (const std::string& target : files.expand(targets)) {
    const bool has_kind = target.find('.') != std::string::npos;
    const std::string path = path_of((has_kind ? "_" : ".") + target);
    files.write(target, path);
    view->written.push_back(path);
  }
}

}  // namespace vesica::app
