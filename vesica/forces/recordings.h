// Recordings of a person from files: markers, and plates beside them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vesica/forces/train.h"
#include "vesica/io/motion_data.h"

namespace vesica::forces {

// Changes a recording after it was read: renames its markers, say.
using Preparation = std::function<void(MotionTrial*)>;

// A walk with its forces: "W.c3d" has both; for "W.trc" the plates are in W.mot or W.sto beside it;
// "W.trc=PLATES.mot" names them.
struct WalkFiles {
  std::string motion, plates;  // plates empty: those of the motion file, or none
};
WalkFiles split_walk_files(const std::string& argument);
// `needs_plates`: InputError where there are none; without, what lies beside the motion file is not
// looked at.
MotionTrial load_walk(const WalkFiles& files, bool needs_plates, const Preparation& prepare);
MotionTrial load_standing(const std::string& file, const Preparation& prepare);

struct PersonOptions {
  double mass = 0;  // kg; 0: from plates
  Preparation prepare;
  bool skip_bad = false;  // a walk that cannot be used, or is another one again, or another
                          // person's, is a note, not an error
};
// Body, walks with measured stances, floor, plates' scales and weight.
Person load_person(const std::string& name, const std::string& standing,
                   const std::vector<WalkFiles>& walks, const PersonOptions& options);

// Sentences.
std::vector<std::string> list_plate_warnings(const std::vector<PlateForces>& plates);

// A folder of recordings: the file with "static" or "standing" in its name, and all that have
// plates. InputError where there is no standing trial.
struct FolderFiles {
  std::string standing;
  std::vector<WalkFiles> walks;
  std::vector<std::string> left_out;  // sentences
};
FolderFiles list_folder(const std::string& folder);
// InputError where two people are one: their standing trials or walks are the same recordings.
void refuse_same_people(const std::vector<Person>& people);
// The folder itself where it holds a standing trial, else its subfolders that do.
std::vector<std::string> list_person_folders(const std::string& folder);

}  // namespace vesica::forces
