// The frame rate of a C3D, which up to four places state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/io/c3d.h"

namespace vesica::detail {

namespace {

struct RateStatement {
  std::string place;
  double frame_rate;  // Hz, what it says or implies for frames
};

// Rates are stored as 32 bit floats; 59.94 and 60 are two rates.
bool agree(double a, double b) { return std::abs(a - b) <= 2e-4 * std::max(a, b); }

}  // namespace

double choose_frame_rate(double header_rate, std::size_t samples, const C3dParameters& parameters,
                         std::vector<std::string>* warnings) {
  std::vector<RateStatement> statements;
  const auto add = [&](const std::string& place, double rate) {
    if (rate > 0.0 && rate <= 1e6) statements.push_back({place, rate});
  };
  // In order of trust where as many speak for one as for the other.
  add("POINT:RATE", parameters.find_number("POINT", "RATE").value_or(0.0));
  add("the header", header_rate);
  const double analog_rate = parameters.find_number("ANALOG", "RATE").value_or(0.0);
  if (samples > 0) {
    add(fmt::format("ANALOG:RATE ({:.6g} Hz for {} samples a frame)", analog_rate, samples),
        analog_rate / static_cast<double>(samples));
  }
  add("TRIAL:CAMERA_RATE", parameters.find_number("TRIAL", "CAMERA_RATE").value_or(0.0));
  if (statements.empty()) return header_rate;

  const auto count_for = [&](double rate) {
    return std::count_if(statements.begin(), statements.end(),
                         [&](const RateStatement& s) { return agree(s.frame_rate, rate); });
  };
  const RateStatement* best = &statements[0];
  for (const RateStatement& s : statements) {
    if (count_for(s.frame_rate) > count_for(best->frame_rate)) best = &s;
  }
  std::string for_it, against;
  for (const RateStatement& s : statements) {
    if (agree(s.frame_rate, best->frame_rate)) {
      for_it += (for_it.empty() ? "" : ", ") + s.place;
    } else {
      against +=
          fmt::format("{}{} says {:.6g} Hz", against.empty() ? "" : ", ", s.place, s.frame_rate);
    }
  }
  if (!against.empty()) {
    warnings->push_back(
        fmt::format("frame rates disagree: {}, but {} {:.6g} Hz; taken as {:.6g} Hz", against,
                    for_it + (for_it.find(", ") == std::string::npos ? " says" : " say"),
                    best->frame_rate, best->frame_rate));
  }
  return best->frame_rate;
}

}  // namespace vesica::detail
