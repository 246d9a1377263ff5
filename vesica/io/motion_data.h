// What a gait lab's files hold, in one form whatever the format: markers, tables over time, force
// plates, events, pressure films, and the bodies, joints and markers of a musculoskeletal model.
//
// Units: SI inside (m, s, N, N m, Pa, rad); the readers convert at the door and note what they saw.
// The one exception is TimeTable, whose columns are of any kind: values there are as in the file
// and each column names its unit where the file does. Missing data: a missing marker position is
// NaN in all three components, never zero; every other number in these types is finite (readers
// refuse NaN and infinity elsewhere, or say so below). Axes: as in the file. Nothing is rotated;
// `axes` says what the file or the data tell about "up".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vesica/math/gravity.h"
#include "vesica/math/pose.h"
#include "vesica/math/vector.h"

namespace vesica {

struct C3dHeader;

inline const double kMissing = std::numeric_limits<double>::quiet_NaN();

// Marker positions over time, frame by frame: all markers of frame 0, then all of frame 1, ...
struct MarkerTracks {
  std::vector<std::string> labels;
  double rate = 0.0;             // Hz, that of `times`; what the file states where that fits them
  std::int64_t first_frame = 1;  // number of the first frame in the source's own count
  std::vector<double> times;     // s, increasing, one per frame, as the file states them
  std::vector<Vec3d> positions;  // m; frames() * markers() of them; NaN where missing
  std::vector<float> residuals;  // m, >= 0; negative where missing; empty if the format has none
  std::vector<float> words;      // C3D: the number beside each position as stored (cameras and
                                 // residual; negative: missing), for writing; else empty
  std::string unit_in_file;      // "mm", "m", ...: what the file said; writers keep it
  int digits = 15;  // significant decimal digits that the source carried (C3D float: 9)

  std::size_t frames() const { return times.size(); }
  std::size_t markers() const { return labels.size(); }
  double start_time() const { return times.empty() ? 0.0 : times.front(); }
  const Vec3d& at(std::size_t frame, std::size_t marker) const {
    return positions[frame * labels.size() + marker];
  }
  Vec3d& at(std::size_t frame, std::size_t marker) {
    return positions[frame * labels.size() + marker];
  }
  bool has(std::size_t frame, std::size_t marker) const {
    const Vec3d& p = at(frame, marker);
    return p.x() == p.x();  // false for NaN
  }
  // Index of the marker, or markers() if there is none of that name.
  std::size_t find(const std::string& label) const;
  // One marker's positions over all frames.
  std::vector<Vec3d> track(std::size_t marker) const;
};

// Named columns over time (MOT, STO, CSV, analog channels of a C3D). Row by row.
struct TimeTable {
  struct Column {
    std::string name;
    std::string unit;  // as in the file; empty if the file does not tell
  };
  std::string name;
  std::vector<Column> columns;  // without the time column
  std::vector<double> times;    // s, never decreasing
  std::vector<double> values;   // rows() * columns.size(), in the units of the file; NaN only where
                                // a MOT/STO/CSV file has an explicit nan or an empty cell
  bool in_degrees = false;      // MOT/STO header: rotational coordinates are in degrees
  // Header entries that have no place above, in file order ("key", "value"), kept for writing.
  std::vector<std::pair<std::string, std::string>> header;

  std::size_t rows() const { return times.size(); }
  double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
  double& at(std::size_t row, std::size_t column) { return values[row * columns.size() + column]; }
  // Index of the column, or columns.size() if there is none of that name.
  std::size_t find(const std::string& column) const;
  std::vector<double> column(std::size_t index) const;
  // By its name; throws InputError where there is none.
  std::vector<double> column(const std::string& name) const;
};

// A table of which one row at a time is made, for writers: one of a long recording need not exist
// as a whole.
struct TableRows {
  TimeTable head;                                             // everything but the values
  std::function<void(std::size_t row, double* values)> fill;  // as many as there are columns
};

// A force platform as a C3D file describes it (group FORCE_PLATFORM), channels not yet combined
// into a force: that is done in motion/, not by a file.
//   type 1: Fx Fy Fz Px Py Mz        channels are force, centre of pressure, free moment
//   type 2: Fx Fy Fz Mx My Mz        moments about the plate's origin
//   type 3: Fx12 Fx34 Fy14 Fy23 Fz1 Fz2 Fz3 Fz4   four corner sensors
//   type 4: like type 2 after `calibration` times the six channels
// In plate axes and with the file's own sign. Channels are N, m and N m where the file names a
// unit of force, length or moment; those of type 4 stay raw (usually V), and `calibration`, whose
// moment rows are converted to metres, takes them to N and N m.
struct ForcePlate {
  int type = 2;
  Vec3d corners[4];              // m, lab frame; order: (+x+y) (-x+y) (-x-y) (+x-y) of the plate
  Vec3d origin = Vec3d::Zero();  // m, plate axes, as in the file (FORCE_PLATFORM:ORIGIN)
  std::vector<int> channels;     // columns of MotionTrial::analog, zero-based
  std::vector<std::string> channel_names;
  Eigen::Matrix<double, 6, 6> calibration = Eigen::Matrix<double, 6, 6>::Identity();
  // Frames (one-based marker frames, inclusive) whose mean is the channels' baseline; 0, 0: none.
  int zero_first = 0, zero_last = 0;
  double zero_stated[2] = {0.0, 0.0};  // as the file has them, usable or not
  // Force and moment in those frames, where the frames themselves are cut off.
  std::optional<Eigen::Matrix<double, 6, 1>> zero_wrench;
  double rate = 0.0;            // Hz of the samples
  double start_time = 0.0;      // s
  std::vector<double> samples;  // rows() * channels.size(), row by row

  std::size_t rows() const { return channels.empty() ? 0 : samples.size() / channels.size(); }
  double at(std::size_t row, std::size_t channel) const {
    return samples[row * channels.size() + channel];
  }
};

struct MotionEvent {
  double time = 0.0;    // s, on the clock of the markers
  std::string label;    // "Foot Strike", "Foot Off", ...
  std::string context;  // "Left", "Right", "General" or empty
  std::string subject;
  std::string description;
};

// Pressure over a grid of cells, frame by frame, row 0 the first row of the file.
struct PressureFilm {
  std::size_t rows = 0, cols = 0;
  double row_spacing = 0.0, col_spacing = 0.0;  // m between rows, between columns
  double dt = 0.0;                              // s between frames
  double start_time = 0.0;                      // s
  std::size_t first_row = 0, first_col = 0;     // where the grid begins in the whole sensor matrix
  std::vector<double> pressures;         // Pa; frames * rows * cols; 0 where there is no sensor
  std::vector<std::uint8_t> has_sensor;  // rows * cols; 0 where the film has no cell
  std::string unit_in_file;              // "kPa", ...
  std::vector<std::pair<std::string, std::string>> header;

  std::size_t frames() const { return rows * cols == 0 ? 0 : pressures.size() / (rows * cols); }
  double cell_area() const { return row_spacing * col_spacing; }  // m^2
  double at(std::size_t frame, std::size_t row, std::size_t col) const {
    return pressures[(frame * rows + row) * cols + col];
  }
};

// Everything that one recording holds. A file that has only markers leaves the rest empty.
struct MotionTrial {
  std::string file;    // where it came from, for messages
  std::string format;  // "TRC", "C3D", "MOT", "STO", "CSV", ...
  MarkerTracks markers;
  TimeTable analog;    // analog channels of a C3D, or the table of a MOT, STO or CSV
  TimeTable computed;  // C3D points that are no positions (angles deg, forces N, moments, ...), one
                       // column per component, in the file's units; NaN where missing
  std::vector<float> computed_words;  // as MarkerTracks::words, for each computed point
  std::vector<ForcePlate> plates;
  std::vector<MotionEvent> events;
  std::vector<PressureFilm> films;
  std::string up_stated;  // POINT:Y_SCREEN of a C3D, "+Z"; empty where no file says it
  std::string axes;       // what is known of the axes: "Y up (OpenSim)", "X_SCREEN +X, ..."
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> warnings;  // plain sentences: what the reader had to tolerate
  // Header and parameters of the C3D that it was read from, as the file held them; else nothing.
  std::shared_ptr<const C3dHeader> c3d;
};

// A musculoskeletal model reduced to bodies, joints and markers. Names are unique; the world is the
// body named "ground", which is not listed.
struct NeutralBody {
  std::string name;
  double mass = 0.0;                     // kg
  Vec3d center_of_mass = Vec3d::Zero();  // m, body frame
  Mat3d inertia = Mat3d::Zero();         // kg m^2 about the centre of mass, body axes
};

struct NeutralCoordinate {
  std::string name;
  double default_value = 0.0;  // rad or m
  double range_low = -std::numeric_limits<double>::infinity();
  double range_high = std::numeric_limits<double>::infinity();
  bool locked = false;
};

// One of the six axes of a custom joint: angle or displacement = slope * coordinate + offset.
struct NeutralAxis {
  bool translates = false;
  Vec3d axis = Vec3d::UnitX();       // in the joint's parent frame F, unit length
  std::string coordinate;            // empty: constant
  double slope = 0.0, offset = 0.0;  // rad or m
  bool is_linear = true;             // false: a spline or other function, not represented
};

enum class NeutralJointKind {
  kWeld,
  kPin,  // about z of F
  kBall,
  kFree,
  kUniversal,      // about `axes[0]` of F, then about `axes[1]` of M, at right angles
  kCustomOneAxis,  // rotation or translation along `axes[0]`, offset in `axes` all zero or constant
  kOther           // anything else; `type_in_file` and `axes` tell what
};

// X_PF: joint frame F on the parent body P. X_CM: joint frame M on the child body C. At zero
// coordinates (and zero offsets) F and M coincide.
struct NeutralJoint {
  std::string name;
  NeutralJointKind kind = NeutralJointKind::kWeld;
  std::string type_in_file;   // "PinJoint", "CustomJoint", ...
  std::string parent, child;  // body names
  Pose<double> X_PF, X_CM;
  std::vector<NeutralCoordinate> coordinates;
  // kCustomOneAxis: the moving one first, then constant ones that are not zero; kUniversal: two;
  // kBall and kFree of a custom joint, kOther: all six.
  std::vector<NeutralAxis> axes;
};

struct NeutralMarker {
  std::string name;
  std::string body;
  Vec3d location = Vec3d::Zero();  // m, body frame
  bool fixed = false;
};

// Contact geometry of an OpenSim model. A half-space fills x > 0 of its own frame.
struct NeutralContactShape {
  std::string name;
  std::string body;
  bool is_half_space = false;
  Pose<double> X_BS;    // shape frame S on the body
  double radius = 0.0;  // m, spheres
};

// SmoothSphereHalfSpaceForce and HuntCrossleyForce between shapes, parameters as OpenSim has them.
struct NeutralContactForce {
  std::string name;
  std::string type_in_file;
  std::vector<std::string> shapes;
  double stiffness = 0.0;    // N/m^2 (plane strain modulus)
  double dissipation = 0.0;  // s/m
  double static_friction = 0.0, dynamic_friction = 0.0;
  double viscous_friction = 0.0;     // s/m
  double transition_velocity = 0.0;  // m/s
};

struct NeutralModel {
  std::string name;
  std::vector<NeutralBody> bodies;
  std::vector<NeutralJoint> joints;
  std::vector<NeutralMarker> markers;
  std::vector<NeutralContactShape> contact_shapes;
  std::vector<NeutralContactForce> contact_forces;
  Vec3d gravity = Vec3d(0.0, -kStandardGravity, 0.0);  // m/s^2
  std::vector<std::string> warnings;

  // Index of the body, or bodies.size().
  std::size_t find_body(const std::string& body) const;
};

}  // namespace vesica
