// TRC: marker trajectories as text (Motion Analysis, OpenSim). docs/formats/trc.md.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

struct TrcHeader {
  std::vector<std::string> labels;
  double rate = 0.0;                // Hz, DataRate
  double camera_rate = 0.0;         // Hz
  std::int64_t frames_stated = -1;  // NumFrames; -1 if absent
  std::string unit;                 // as in the file
  double units_per_metre = 1.0;
  std::vector<std::string> warnings;
};

struct TrcFrame {
  std::int64_t number = 0;
  double time = 0.0;                 // s
  std::span<const Vec3d> positions;  // m, NaN where missing; valid during the call
};

struct TrcSink {
  std::function<void(const TrcHeader&)> header;
  std::function<void(const TrcFrame&)> frame;
};

// Reads a TRC of any length through a fixed buffer: header once, then every frame. `name` appears
// in messages. Returns warnings about the data (frames beyond NumFrames).
// Tolerates: any mix of tabs and spaces in the header, missing header values but units, absent X1
// Y1 Z1 line, blank lines, blank or nan coordinates (missing marker), trailing tabs, CR LF.
// Refuses, with the line: other widths of rows, text for numbers, times that do not increase, fewer
// frames than NumFrames.
std::vector<std::string> stream_trc(std::istream& stream, const std::string& name,
                                    const TrcSink& sink);

// The whole file in memory, its scale checked (motion_checks.h).
MotionTrial load_trc(const std::string& path);
MotionTrial read_trc(std::istream& stream, const std::string& name);

// Writes what OpenSim reads: its eight header keys, one label per marker, tabs alone, X1 Y1 Z1,
// one blank line, frames numbered from first_frame, missing positions as nan, unit_in_file kept (mm
// if it is none). Refuses labels that are empty, doubled, or hold tabs or line ends, times that do
// not increase, and no frames.
void save_trc(const std::string& path, const MarkerTracks& markers);

}  // namespace vesica
