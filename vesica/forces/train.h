// The population model from recordings of people on force plates.
#pragma once

#include <string>
#include <vector>

#include "vesica/forces/model.h"
#include "vesica/forces/stances.h"

namespace vesica::forces {

struct Person {
  std::string name;
  Body body;
  double weight = 0;  // N
  std::vector<MeasuredWalk> walks;
  Vec3d slope_W = Vec3d::Zero();
  std::vector<PlateScale> scales;
  WeightFound weight_found;
  std::vector<std::string> notes;

  size_t stances() const;
};

// One stance over its phase: outputs and signals, in body weights, feet of usual size, mirrored on
// the left.
struct Sample {
  size_t walk = 0, stance = 0;
  int side = kRight;
  double speed = 0;  // Froude
  std::array<Curve, kOutputs> y{};
  // The same over the stance that the plate measured, from its begin to its end: for the baselines,
  // which are judged there.
  std::array<Curve, kOutputs> measured{};
  std::array<std::vector<Curve>, kOutputs> signals;
  Curve free_moment{};
};
std::vector<Sample> make_samples(const Person& person, const SignalModel& model);

// Everything but bands.
SignalModel fit_signals(const std::vector<const Person*>& people);
Population fit_population(const std::vector<const Person*>& people);
// Curves, slopes and gains from samples of each person; `within`: gains from the differences within
// a person. Also fills in the mean speed of all samples.
ModelTable fit_table(const std::vector<std::vector<Sample>>& people, bool within);

// The own curves of a person: what is left of each stance when slope and signals are taken off,
// shrunk towards the population's by n / (n + 1), then towards the person's by the stances of a
// side.
using OwnCurves = std::array<std::array<Curve, kOutputs>, 2>;
OwnCurves fit_own(const ModelTable& table, const std::vector<const Sample*>& stances);
// Mean measured curves and their speed: the baseline.
struct MeanCurves {
  std::array<std::array<Curve, kOutputs>, 2> mean{};
  double speed = 0;
};
MeanCurves calc_means(const std::vector<const Sample*>& stances);

// What the model says of a sample, with the population's or one's own curves.
Curve predict_curve(const OutputModel& model, const Curve& a, const Sample& sample, int output);

// Bands from people who were left out, one after the other: the 95 % quantile by phase of what the
// prediction misses, divided by how far off the speed is.
void fit_bands(const std::vector<const Person*>& people, Population* population);

// Which walks calibrate where nobody says: those nearest to the person's median speed.
std::vector<size_t> choose_calibration(const Person& person, size_t count);

// Fit and bands. Throws InputError for fewer than three people.
Population train(const std::vector<Person>& people);

}  // namespace vesica::forces
