// C3D: markers, analog channels, force platforms and events in one binary file (c3d.org).
// docs/formats/c3d.md.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/c3d_parameters.h"
#include "vesica/io/motion_data.h"

namespace vesica {

struct C3dHeader {
  C3dByteOrder byte_order = C3dByteOrder::kIntel;
  bool stores_floats = true;  // else 16 bit integers times a scale
  double point_scale = 1.0;   // file units per integer step, and per step of a residual
  std::size_t points = 0;     // per frame
  std::size_t channels = 0;   // analog
  std::size_t samples = 0;    // of each analog channel per frame
  std::int64_t first_frame = 1;
  std::int64_t frames = 0;
  double rate = 0.0;  // Hz, frames
  std::uint64_t data_byte = 0;
  C3dParameters parameters;
  std::vector<MotionEvent> header_events;  // the old kind, in the header block
  std::string block;                       // the header's 512 bytes as they are
  std::vector<std::string> warnings;

  double analog_rate() const { return rate * static_cast<double>(samples); }
  // s; frame number 1 is at zero, so that events are on the same clock.
  double time_of(std::int64_t frame_index) const {
    return static_cast<double>(first_frame - 1 + frame_index) / rate;
  }
};

// In file units (POINT:UNITS). residual < 0: missing, and then x, y and z mean nothing.
struct C3dPoint {
  float x, y, z, residual;
  float word;  // the fourth number as stored: cameras in the high byte, residual in the low one
};

struct C3dChunk {
  std::int64_t first = 0;  // index of its first frame, from zero
  std::size_t frames = 0;
  std::span<const C3dPoint> points;  // frames * header.points
  std::span<const double> analog;    // frames * samples * channels, scaled to ANALOG:UNITS
};

struct C3dSink {
  std::function<void(const C3dHeader&)> header;
  std::function<void(const C3dChunk&)> chunk;
};

// Reads a C3D of any length in pieces of about 1 MiB; the stream must be seekable. Counts are
// checked against the size of the file before anything is read or allocated by them. Errors name
// the byte.
void stream_c3d(std::istream& stream, const std::string& name, const C3dSink& sink);

// The whole file: positions into `markers`; what the file lists as angles, forces, moments, powers
// or scalars into `computed`; analog channels, plates, events. Times count from frame number 1 at
// zero; a recording that was cut out of a longer one starts later than zero.
MotionTrial load_c3d(const std::string& path);
MotionTrial read_c3d(std::istream& stream, const std::string& name);

// How a recording is to be written.
struct C3dSaveOptions {
  // Byte order and kind of numbers of the file that it came from, instead of Intel floats.
  bool as_it_was = false;
  // "+X", "+Y": what POINT:X_SCREEN and Y_SCREEN are to say; empty: as they were.
  std::string x_screen, y_screen;
};

// Writes markers, computed points, analog channels, plates and events; a recording that was read
// from a C3D keeps all its parameters, and reads back with the same bits in every number. Returns
// notes, plain sentences: what the format could not hold. Throws InputError, before anything is
// written, for times that are uneven, rates of analog channels that are no multiple of the frames',
// labels that are empty or doubled, and, with as_it_was, numbers that the old kind cannot hold.
std::vector<std::string> save_c3d(const std::string& path, const MotionTrial& trial,
                                  const C3dSaveOptions& options = {});
// The same as bytes; `name` appears in messages.
std::string encode_c3d(const MotionTrial& trial, const std::string& name,
                       const C3dSaveOptions& options = {},
                       std::vector<std::string>* notes = nullptr);

namespace detail {
// What turns a raw analog value into its unit: (raw - offset) * scale.
struct C3dAnalogScaling {
  std::vector<double> offset, scale;
  bool is_unsigned = false;
};
C3dAnalogScaling make_analog_scaling(const C3dHeader& header);

// The events that header and parameters hold, in order of time.
std::vector<MotionEvent> read_c3d_events(const C3dHeader& header);

// Labels of all points as a trial names them, and which of them are no positions but angles and
// the like (with their unit).
struct C3dPointLabels {
  std::vector<std::string> labels;
  std::vector<char> is_computed;
  std::vector<std::string> units;  // of computed points
};
C3dPointLabels make_point_labels(const C3dHeader& header, std::vector<std::string>* warnings);
std::vector<std::string> make_channel_labels(const C3dHeader& header,
                                             std::vector<std::string>* warnings);

// Frames per second, from POINT:RATE, the header, ANALOG:RATE over `samples` a frame and
// TRIAL:CAMERA_RATE: what most of them say, POINT:RATE and then the header where it is even. A
// disagreement is told with what is believed.
double choose_frame_rate(double header_rate, std::size_t samples, const C3dParameters& parameters,
                         std::vector<std::string>* warnings);
// FORCE_PLATFORM into plates, with the channels of `analog`; what cannot be used is left out with a
// warning.
std::vector<ForcePlate> make_force_plates(const C3dHeader& header, const TimeTable& analog,
                                          double units_per_metre, const std::string& name,
                                          std::vector<std::string>* warnings);
}  // namespace detail

}  // namespace vesica
