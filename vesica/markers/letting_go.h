// What a fit whose loss holds on to wild markers (squares, Huber) would be if it let go of them.
//
// A marker 15 cm off need not show 15 cm: a segment with few markers turns after it, and what is
// left in the residuals is spread over its neighbours. The constants move too. How far the poses
// are pulled is told by fitting again, from where the fit ended, with Tukey's loss.
#pragma once

#include <optional>
#include <vector>

#include "vesica/markers/identify.h"

namespace vesica::markers {

struct LettingGo {
  double width = 0;  // m, of the loss that was tried: 2 cm, six standard deviations, or 4.5 times
                     // the median error of the marker that fits worst
  long wild = 0;     // positions that are off by 3 cm then, six standard deviations and six times
                     // their marker's median error
  double sigma = 0;  // m, of a marker coordinate, then
  // Of each frame that has a wild marker, of all where wild markers are so many that they move the
  // constants: how far its poses turn.
  std::vector<double> turn;  // rad
  // rad, of each segment and frame: how far it turns (0 in other frames), and the standard
  // deviation of its orientation without the wild markers
  std::vector<std::vector<double>> turns, spreads;
};

// The width of Tukey's loss that a recording asks for, from a coarse fit with Huber's: 2 cm, six
// standard deviations, or 4.5 times the median error of the marker that fits worst, 10 cm at
// most. A width below what skin does lets go of good markers in turn, and the fit goes round.
double choose_tukey_width(const Model& model, const std::vector<Trial>& trials, Options options);

// Nothing where the loss lets go by itself, no marker stands out, or none is wild in the end.
// `sigma`: of a marker coordinate, as branches.h has it.
std::optional<LettingGo> try_letting_go(const AllFrames& frames, const Eigen::VectorXd& d,
                                        double sigma);

}  // namespace vesica::markers
