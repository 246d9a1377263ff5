// Maps of marker names, so that a model serves several labs: small YAML or CSV files that come
// along or are one's own. docs/formats/marker_map.md.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

class InputFile;

struct MarkerMap {
  struct Entry {
    std::string from, to;
    std::string place;  // "file:line", for messages
  };
  std::string file, title;
  bool partial = false;  // recordings need not have all names: a map of a whole marker set
  std::vector<Entry> entries;
};

// YAML, by its key `marker_map`, or CSV with the columns `from` and `to`. InputError, with the
// line: a name twice, an empty name, no names at all.
MarkerMap load_marker_map(const std::string& path);
MarkerMap read_marker_map(const InputFile& file);
MarkerMap read_marker_map_csv(std::istream& stream, const std::string& name);
bool is_marker_map(const InputFile& file);

// What a map did to a recording.
struct RenamedMarkers {
  std::size_t count = 0;                 // markers that a name of the map stands for
  std::vector<std::string> not_present;  // names of the map that the recording lacks
};

// A name matches with or without the subject before it ("Anna:LASI"). InputError: no name of the
// map is in the recording; two markers would get one name.
RenamedMarkers rename_markers(const MarkerMap& map, MarkerTracks* markers);

// "Renamed 12 markers by Plug-in Gait to WBDS; not in the recording: ...", for people.
std::string describe(const RenamedMarkers& renamed, const MarkerMap& map);

// '*' stands for any text, '?' for one character; letters as they are.
bool matches_pattern(std::string_view text, std::string_view pattern);

// Keeps the markers that any of `keep` matches (all, where it is empty) and none of `drop`.
// InputError for a pattern that matches nothing, and where nothing would be left.
void select_markers(const std::vector<std::string>& keep, const std::vector<std::string>& drop,
                    MotionTrial* trial);

}  // namespace vesica
