// Signals of strides from 0 to 100 %, as gait_cycles.h describes them; used by analyse_gait().
#pragma once

#include <string>
#include <vector>

#include "vesica/motion/gait_cycles.h"

namespace vesica::detail {

// Curves of all strides, put together by signal and foot.
class CurveCollection {
 public:
  // A curve with gaps is counted and left out.
  void add(const std::string& name, const std::string& unit, Foot foot, int stride,
           const CycleValues& values);
  int left_out() const { return left_out_; }
  // Signals in the order in which they came, left before right; with mean and sd.
  std::vector<CycleCurve> take();

 private:
  std::vector<CycleCurve> curves_;
  int left_out_ = 0;
};

// What one stride, number `index` of the summary, has to show: columns of a table; force of plates
// where its stance lies wholly on them, also over `weight` (N) where that is finite; heights of
// heel and forefoot.
void add_table_curves(const TimeTable& table, const Stride& stride, int index,
                      CurveCollection* curves);
void add_force_curves(const GaitTrial& trial, const Stride& stride, int index, double weight,
                      CurveCollection* curves);
void add_height_curves(const GaitTrial& trial, const Stride& stride, int index,
                       CurveCollection* curves);

inline constexpr double kSameEvent = 0.06;  // s between what markers and what a plate tell
// Whether a stance begins and ends in the recording, wholly on plates and of one foot.
bool is_whole(const Stance& stance);

}  // namespace vesica::detail
