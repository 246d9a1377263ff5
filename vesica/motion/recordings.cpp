#include "vesica/motion/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "vesica/io/load_motion.h"
#include "vesica/motion/plates.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica {
namespace {

namespace fs = std::filesystem;

bool has_markers(const MotionTrial& motion) { return motion.markers.markers() > 0; }

// Markers on one side, nothing but a table on the other.
bool are_complements(const MotionTrial& a, const MotionTrial& b) {
  const auto is_table = [](const MotionTrial& m) {
    return !has_markers(m) && m.plates.empty() && m.films.empty() && m.analog.rows() > 0;
  };
  const auto is_bare = [](const MotionTrial& m) {
    return has_markers(m) && m.plates.empty() && m.films.empty() && m.analog.rows() == 0;
  };
  return (is_bare(a) && is_table(b)) || (is_table(a) && is_bare(b));
}

void add_to(Recording* recording, Recording&& other) {
  recording->files.insert(recording->files.end(), other.files.begin(), other.files.end());
  recording->motion = join(std::move(recording->motion), std::move(other.motion));
}

// The one with markers gives its name to both.
void join_only_pair(std::vector<Recording>* recordings) {
  Recording& a = (*recordings)[0];
  Recording& b = (*recordings)[1];
  if (!has_markers(a.motion)) std::swap(a, b);
  a.notes.push_back(
      fmt::format("{} and {} are taken as one trial, as one has markers and the other has not; "
                  "files of one trial usually have one name.",
                  a.files[0], b.files[0]));
  add_to(&a, std::move(b));
  recordings->pop_back();
}

}  // namespace

bool is_signal_table(const MotionTrial& motion) {
  return !has_markers(motion) && motion.plates.empty() && motion.analog.rows() > 0 &&
         !has_force_columns(motion.analog);
}

std::vector<Recording> load_recordings(const std::vector<std::string>& files,
                                       SignalTables signals) {
  std::vector<Recording> recordings, apart;
  for (const std::string& file : files) {
    Recording recording;
    recording.name = fs::path(file).stem().string();
    recording.files = {file};
    recording.motion = load_motion(file);
    for (const Recording& before : recordings) {
      const size_t shared = count_shared_frames(before.motion, recording.motion);
      if (shared == 0) continue;
      recording.motion.warnings.push_back(fmt::format(
          "It holds the same recording as {} ({} frames).", before.motion.file, shared));
    }
    if (signals == SignalTables::kApart && is_signal_table(recording.motion)) {
      apart.push_back(std::move(recording));
      continue;
    }
    const auto same = std::find_if(recordings.begin(), recordings.end(), [&](const Recording& r) {
      return r.name == recording.name &&
             fs::path(r.files[0]).parent_path() == fs::path(file).parent_path() &&
             has_markers(r.motion) != has_markers(recording.motion);
    });
    if (same != recordings.end()) {
      add_to(&*same, std::move(recording));
    } else {
      recordings.push_back(std::move(recording));
    }
  }
  if (recordings.size() == 2 && are_complements(recordings[0].motion, recordings[1].motion)) {
    join_only_pair(&recordings);
  }
  std::move(apart.begin(), apart.end(), std::back_inserter(recordings));
  for (Recording& recording : recordings) tidy(&recording.motion);
  return recordings;
}

}  // namespace vesica
