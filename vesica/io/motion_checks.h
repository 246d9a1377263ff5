// Whether the units and axes of a recording make sense; messages say what was seen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

// How many of the unit make a metre, for mm, cm, m, in, ft and their long names; nothing for an
// unknown word. A position is value / units_per_metre: for mm, cm and m that is correctly rounded,
// so that up to 15 printed digits survive the way there and back.
std::optional<double> find_units_per_metre(std::string_view unit);
// From "N", "kN", "Nmm", "N.mm", "N*m", "mm", ... to SI; nothing if the word is none of force,
// length or moment.
std::optional<double> find_si_per_plate_unit(std::string_view unit);

// The largest side of the box around the markers of one frame, median over frames with at least two
// markers; 0 if there is none. A single stray marker does not decide it.
double find_median_span(const MarkerTracks& markers);

// Throws InputError if the median span is below 10 mm or above 30 m: no set of markers on a person
// or a robot is, so the unit is wrong ("markers span 1,700 m: millimetres labelled as metres?").
// Factors of ten (cm against mm) are beyond it.
void check_marker_scale(const MarkerTracks& markers, const std::string& name);

// The axis that the data suggest is up: '+x', '-x', '+y', ... or empty when they do not tell. Up is
// the axis along which the markers stay on one side of the ground (99 % above -5 cm) and whose
// markers are farthest apart on time average (in walking all markers share the way forward but keep
// their heights); it must exceed the next such axis by 30 %.
std::string find_up_axis(const MarkerTracks& markers);

// Throws InputError when the data clearly say that another axis is up than `axis` ("+y").
void require_up_axis(const MarkerTracks& markers, const std::string& axis, const std::string& name);

// Corners listed crosswise (the sides of the figure cross) in an order that goes round; which
// corner is the first and which way round it goes is not known from them. Whether it changed
// anything.
bool uncross_plate_corners(ForcePlate* plate);

// Throws InputError if a plate's corners are no plate: sides from 5 cm to 20 m, a rectangle within
// 5 %, all finite.
void check_plate_corners(const ForcePlate& plate, int number, const std::string& name);

// Gives every label a name of its own ("A", "A_2", ...) and "unnamed_7" to an empty one; each
// change is noted in `warnings`.
void make_labels_unique(std::vector<std::string>* labels, std::vector<std::string>* warnings);

}  // namespace vesica
