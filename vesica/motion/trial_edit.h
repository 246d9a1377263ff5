// Changes to a trial: cut, filter, resample, fill, turn. Each does one thing and says what it did.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/gaps.h"
#include "vesica/motion/plates.h"

namespace vesica {

// Keeps what lies from `from` to `until` (s, inclusive, half a sample of tolerance) of markers,
// tables, plates, films and events. Times stay as they are. Throws InputError where nothing is
// left.
void trim(MotionTrial* trial, double from, double until);

// Moves forces (plates, tables, analog channels) by so many seconds against everything else.
void shift_forces(MotionTrial* trial, double seconds);

// Two recordings of one trial as one: markers of one, tables, plates, events, films of the other.
// Throws InputError where both hold markers or both hold a table.
MotionTrial join(MotionTrial a, MotionTrial b);

// Each run between gaps, and between holes in time, by itself; returns how many samples lie in runs
// too short to filter. Uneven times are an InputError.
int filter_markers(MarkerTracks* markers, const ZeroPhaseFilter& filter);
int filter_table(TimeTable* table, const ZeroPhaseFilter& filter);

// Samples per second of a table, from its times; throws InputError where they are uneven
// (io/motion_clock.h), naming the first such row.
double find_table_rate(const TimeTable& table);

// Markers at even times of another rate, from the first frame on; gaps stay gaps. Throws InputError
// for fewer than two frames.
void resample_markers(MarkerTracks* markers, double rate);

struct FilledMarker {
  int marker = 0;
  FilledGap filled;
};
std::vector<FilledMarker> fill_marker_gaps(MarkerTracks* markers, const GapFillOptions& options);

// The rotation that takes `up` to +y: about x for z up, as OpenSim's own tools do ((x, y, z)
// becomes (x, z, -y)). With `forwards` (any horizontal direction, or zero), a turn about the
// vertical by whole quarters follows, so that it comes to lie nearest to +x.
Mat3d make_rotation_to_y_up(const Vec3d& up, const Vec3d& forwards);

// Turns marker positions, plates and the vectors of force tables; other columns stay.
void rotate(MotionTrial* trial, const Mat3d& R);
void rotate(PlateForces* plate, const Mat3d& R);

// Forces as OpenSim's external loads want them, plate by plate: ground_force1_vx .. _pz,
// ground_torque1_x .. _z, in N, m and N m. A plate that is not loaded has zeros there and its
// centre (or its last point) as point; samples that are missing are nan.
TimeTable make_force_table(const std::vector<PlateForces>& plates, const std::string& name);
// The same row by row, in order; the plates must outlive it.
TableRows make_force_rows(const std::vector<PlateForces>& plates, const std::string& name);

// Marker positions as rows of a table: label_x, label_y, label_z in m. The markers must outlive it.
TableRows make_marker_rows(const MarkerTracks& markers, const std::string& name);

}  // namespace vesica
