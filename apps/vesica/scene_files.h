// The inputs that come with Vesica, and how a name on the command line becomes a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica::app {

// The folder of scenes: $VESICA_DATA/scenes, or beside the tool (source tree, installation).
std::filesystem::path scenes_folder();
std::filesystem::path marker_models_folder();  // studies/markers, found in the same way
std::filesystem::path studies_folder();        // studies

std::filesystem::path marker_maps_folder();  // studies/markers/maps

std::filesystem::path forces_folder();  // studies/forces: populations of ground forces

// A path as it is, or the name of a scene that comes with Vesica. Throws FileError when there is
// neither.
std::string find_input(const std::string& name);

// Where the files of an input go without --out: out/NAME. InputError where its name gives none.
std::string choose_out_folder(const std::string& input);

// Names of files in the input made absolute, so that it means the same from another folder.
void make_self_contained(InputFile* file);

// Where one scene differs from another apart from what it is called, how long it runs and what it
// leaves; empty: nowhere.
std::string find_difference(const InputFile& one, const InputFile& other);

// --set path=value, one after the other.
void apply_settings(const std::vector<std::string>& settings, InputFile* file);

struct SceneEntry {
  std::string name, kind, title;
};
// Throws FileError, with where it looked, when there are none.
std::vector<SceneEntry> list_scenes();

}  // namespace vesica::app
