#include "vesica/forces/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>

#include "vesica/error.h"
#include "vesica/forces/judge.h"
#include "vesica/io/file_error.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::forces {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string find_beside(const std::string& motion) {
  std::error_code code;
  for (const char* extension : {".mot", ".sto"}) {
    const fs::path path = fs::path(motion).replace_extension(extension);
    if (path != motion && fs::exists(path, code)) return path.string();
  }
  return {};
}

bool is_standing(const fs::path& path) {
  const std::string name = lower(path.stem().string()),
                    extension = lower(path.extension().string());
  return (extension == ".trc" || extension == ".c3d") &&
         (name.find("static") != std::string::npos || name.find("standing") != std::string::npos);
}

}  // namespace

WalkFiles split_walk_files(const std::string& argument) {
  std::error_code code;
  const size_t equals = argument.rfind('=');
  if (equals == std::string::npos || fs::exists(argument, code)) return {argument, {}};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

MotionTrial load_walk(const WalkFiles& files, bool needs_plates, const Preparation& prepare) {
  MotionTrial trial = load_motion(files.motion);
  if (trial.markers.markers() == 0) {
    throw InputError(files.motion +
                     ": there are no markers in this file; give the recording of "
                     "the motion (TRC, C3D)");
  }
  const bool has_own = !trial.plates.empty();
  std::string plates = files.plates;
  if (plates.empty() && !has_own && needs_plates) plates = find_beside(files.motion);
  if (!plates.empty()) {
    MotionTrial forces = load_motion(plates);
    forces.markers = {};
    trial.plates.clear();
    trial.analog = {};
    if (forces.plates.empty() && !has_force_columns(forces.analog)) {
      throw InputError(fmt::format(
          "{}: there are no force plates in this file (columns ending in vx, vy, vz, px, py, pz)",
          plates));
    }
    trial = join(trial, forces);
    trial.file = files.motion;
  } else if (!has_own && needs_plates) {
    throw InputError(fmt::format(
        "{}: there are no force plates, in this file or in a .mot of the same name beside it; name "
        "them: {}=PLATES.mot",
        files.motion, files.motion));
  }
  tidy(&trial);
  if (prepare) prepare(&trial);
  return trial;
}

MotionTrial load_standing(const std::string& file, const Preparation& prepare) {
  MotionTrial trial = load_motion(file);
  tidy(&trial);
  if (prepare) prepare(&trial);
  return trial;
}

Person load_person(const std::string& name, const std::string& standing,
                   const std::vector<WalkFiles>& walks, const PersonOptions& options) {
  Person person;
  person.name = name;
  person.body = make_body(load_standing(standing, options.prepare));
  person.notes = person.body.notes;
  std::vector<MotionTrial> trials;
  std::vector<Walk> found;
  for (const WalkFiles& files : walks) {
    try {
      MotionTrial trial = load_walk(files, true, options.prepare);
      for (const MotionTrial& other : trials) {
        if (count_shared_frames(other, trial) == 0) continue;
        throw InputError(
            fmt::format("{}: given twice: it holds the frames of {}; each walk counts once, as its "
                        "weight grows "
                        "with their number",
                        files.motion, other.file));
      }
      Walk walk = make_walk(trial, fs::path(files.motion).stem().string(), person.body);
      if (const std::string text = say_misfit(walk); !text.empty()) {
        throw InputError(files.motion + ": " + text);
      }
      found.push_back(std::move(walk));
      trials.push_back(std::move(trial));
    } catch (const FileError&) {
      throw;
    } catch (const InputError& error) {
      if (!options.skip_bad) throw;
      person.notes.push_back(fmt::format("Not used: {}", error.what()));
    }
  }
  if (found.empty()) return person;
  std::vector<Walk*> pointers;
  for (Walk& walk : found) pointers.push_back(&walk);
  person.slope_W = level_floor(person.body, pointers);
  for (size_t i = 0; i < found.size(); ++i) {
    PlateOptions plates;
    const std::vector<PlateForces> forces = calc_all_plate_forces(trials[i], found[i].up_W, plates);
    for (const std::string& text : list_plate_warnings(forces)) found[i].notes.push_back(text);
    person.walks.push_back(measure(std::move(found[i]), person.body, forces));
  }
  person.scales = level_plates(person.body, options.mass, &person.walks);
  person.weight_found = find_weight(person.walks);
  if (const std::string text = say_delay(find_load_delay(person.walks)); !text.empty()) {
    person.notes.push_back(text);
  }
  person.weight = options.mass > 0 ? options.mass * kGravity : person.weight_found.weight;
  if (const std::string text = say_mass_index(person.body, person.weight);
      person.weight > 0 && !text.empty()) {
    person.notes.push_back(text);
  }
  if (options.mass > 0 && person.weight_found.weight > 0) {
    const WeightFound& found_weight = person.weight_found;
    if (std::abs(found_weight.weight / person.weight - 1) > kMostWeightOff) {
      person.notes.push_back(
          fmt::format("The plates carry {:.0f} N ({}), and {:.0f} N were told: is the mass right?",
                      found_weight.weight, found_weight.source, person.weight));
    }
    person.weight_found.source =
        fmt::format("told; plates say {:.1f} N ({})", found_weight.weight, found_weight.source);
  } else if (options.mass > 0) {
    person.weight_found.source = "told";
  }
  return person;
}

std::vector<std::string> list_plate_warnings(const std::vector<PlateForces>& plates) {
  std::vector<std::string> warnings;
  for (const PlateForces& plate : plates) {
    for (std::string text : plate.warnings) {
      // What `vesica motion` would do is no option here; a stance that it spoils is not used.
      if (const size_t advice = text.find("; --baseline quiet"); advice != text.npos) {
        text = text.substr(0, advice) +
               ". Nothing needs to be done: stances that do not fit are not used.";
      }
      warnings.push_back(text);
    }
  }
  return warnings;
}

void refuse_same_people(const std::vector<Person>& people) {
  std::map<std::string, std::string> seen;  // digest of a recording, and whose it is
  for (const Person& p : people) {
    std::vector<std::string> digests = {p.body.digest};
    for (const MeasuredWalk& m : p.walks) digests.push_back(m.walk.digest);
    for (const std::string& digest : digests) {
      const auto [entry, is_new] = seen.emplace(digest, p.name);
      if (is_new) continue;
      throw InputError(
          fmt::format("{} and {} hold the same recording: each person counts once, else nobody "
                      "would be left out "
                      "of the errors",
                      entry->second, p.name));
    }
  }
}

FolderFiles list_folder(const std::string& folder) {
  FolderFiles files;
  std::vector<fs::path> paths;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) paths.push_back(entry.path());
  if (code) throw FileError(fmt::format("{}: {}", folder, code.message()));
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const std::string extension = lower(path.extension().string());
    if (is_standing(path)) {
      if (files.standing.empty()) {
        files.standing = path.string();
      } else {
        files.left_out.push_back(fmt::format("Not used: {}: a second standing trial; {} counts.",
                                             path.string(), files.standing));
      }
    } else if (extension == ".trc" && find_beside(path.string()).empty()) {
      files.left_out.push_back(
          fmt::format("Not used: {}: there are no plates beside it.", path.string()));
    } else if (extension == ".c3d" ||
               (extension == ".trc" && !find_beside(path.string()).empty())) {
      files.walks.push_back({path.string(), {}});
    }
  }
  if (files.standing.empty()) {
    throw InputError(folder +
                     ": there is no standing trial (a TRC or C3D with 'static' or "
                     "'standing' in its name)");
  }
  return files;
}

std::vector<std::string> list_person_folders(const std::string& folder) {
  std::error_code code;
  std::vector<std::string> folders;
  bool here = false;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    here = here || is_standing(entry.path());
    if (!entry.is_directory()) continue;
    std::error_code inner;
    for (const auto& file : fs::directory_iterator(entry.path(), inner)) {
      if (!is_standing(file.path())) continue;
      folders.push_back(entry.path().string());
      break;
    }
  }
  if (code) throw FileError(fmt::format("{}: {}", folder, code.message()));
  if (here) return {folder};
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) {
    throw InputError(folder +
                     ": no standing trial (a TRC or C3D with 'static' or 'standing' in "
                     "its name), in this folder or in one below it");
  }
  return folders;
}

}  // namespace vesica::forces
