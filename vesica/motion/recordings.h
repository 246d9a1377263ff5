// Files of one trial put together: walk.trc with its markers and walk.mot with its forces.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

struct Recording {
  std::string name;  // of its files, without folder and ending
  std::vector<std::string> files;
  MotionTrial motion;              // tidied (trial_tidy.h)
  std::vector<std::string> notes;  // sentences: what was taken for granted
};

// A table of angles, moments or the like over time, not of forces.
bool is_signal_table(const MotionTrial& motion);

enum class SignalTables {
  kJoined,  // like tables of forces: with the markers of the same name
  kApart,   // a recording of its own
};

// Loads files and joins what belongs together: files of one name in one folder of which one has
// markers and the other a table, and, if there are no others, one file with markers and one with
// forces or signals whatever their names, with a note. A recording that is there twice is told in
// the warnings of the second.
std::vector<Recording> load_recordings(const std::vector<std::string>& files, SignalTables signals);

}  // namespace vesica
