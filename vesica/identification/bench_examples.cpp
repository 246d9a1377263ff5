#include "vesica/identification/bench_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "vesica/identification/ring_down.h"
#include "vesica/io/output_file.h"

namespace vesica {
namespace {

constexpr double kNoise = 0.02;
constexpr unsigned kSeed = 1;

void add_noise(double share, std::mt19937_64* random, std::vector<double>* values) {
  double largest = 0;
  for (const double x : *values) largest = std::max(largest, std::abs(x));
  std::normal_distribution<double> normal(0, share * largest);
  if (share > 0) {
    for (double& x : *values) x += normal(*random);
  }
}

std::string make_csv(const std::string& header, const std::vector<std::vector<double>>& columns,
                     const std::vector<double>& per_si) {
  std::string text = fmt::format(
      "# synthetic, made by `vesica identify --examples`: known parameters, {:.0f} % normal noise\n"
      "{}\n",
      100 * kNoise, header);
  for (size_t r = 0; r < columns[0].size(); ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      text += fmt::format("{}{:.6g}", c ? "," : "", columns[c][r] * per_si[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

IndentationData make_indentation(const BenchTruth& truth, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  IndentationData data;
  for (int k = 1; k <= 40; ++k) {
    data.depth.push_back(k * 25e-6);
    data.force.push_back(truth.stiffness * std::pow(data.depth.back(), truth.exponent));
  }
  add_noise(noise, &random, &data.force);
  return data;
}

ImpactData make_impact(const BenchTruth& truth, bool slope, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  ImpactData data;
  for (int k = 1; k <= 20; ++k) {
    const double c = 0.1 * k;
    data.impact_speed.push_back(c);
    data.rebound_speed.push_back(c * (slope ? 1 - truth.restitution_slope * c : truth.restitution));
  }
  add_noise(noise, &random, &data.rebound_speed);
  return data;
}

SlidingData make_sliding(const BenchTruth& truth, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  SlidingData data;
  for (int k = 1; k <= 24; ++k) {
    data.speed.push_back(0.01 * k);
    data.normal_force.push_back(truth.normal_force * (1 + k % 3));
    data.friction_force.push_back(data.normal_force.back() *
                                  (truth.mu_C + truth.sigma_2 * data.speed.back()));
  }
  add_noise(noise, &random, &data.friction_force);
  return data;
}

PreslidingData make_presliding(const BenchTruth& truth, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  PreslidingData data;
  data.mass = truth.mass;
  data.normal_force = truth.normal_force;
  const double dz = truth.mu_S / truth.sigma_0;
  for (int k = 1; k <= 30; ++k) {
    data.displacement.push_back(dz * k / 30);
    data.force.push_back(truth.normal_force * truth.sigma_0 * data.displacement.back());
  }
  add_noise(noise, &random, &data.force);
  const double per_mass = truth.normal_force / truth.mass;
  for (int k = 0; k < 150; ++k) data.time.push_back(0.5e-3 * k);
  const Eigen::VectorXd swing = calc_ring_down(
      {per_mass * truth.sigma_0, 0.5 * per_mass * truth.sigma_1, 0, dz / 3, 0}, data.time);
  data.swing.assign(swing.data(), swing.data() + swing.size());
  add_noise(noise, &random, &data.swing);
  return data;
}

StickSlipData make_stick_slip(const BenchTruth& truth, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  StickSlipData data;
  data.rig = {truth.mass, truth.spring_stiffness, truth.normal_force, truth.mu_S, truth.mu_C, 0.01,
              0.001};
  for (int k = 0; k < 15; ++k) {
    data.belt_speed.push_back(0.05 + 0.006 * k);
    data.peak_friction.push_back(
        calc_peak_friction(data.rig, data.belt_speed.back(), truth.tau_dw));
  }
  add_noise(noise, &random, &data.peak_friction);
  return data;
}

std::vector<std::string> save_bench_examples(const std::string& folder) {
  const BenchTruth truth;
  std::vector<std::string> studies;
  auto save_study = [&](const std::string& type, const std::string& text) {
    studies.push_back(resolve_path(folder, type + ".yaml"));
    save_text(studies.back(), fmt::format("vesica: 1\ntype: {}\n{}", type, text));
  };
  auto save_table = [&](const std::string& name, const std::string& text) {
    save_text(resolve_path(folder, name), text);
  };
  const auto press = make_indentation(truth, kNoise, kSeed);
  save_table("indentation.csv",
             make_csv("depth [mm],force [N]", {press.depth, press.force}, {1e3, 1}));
  save_study("indentation", fmt::format("title: A ball pressed into rubber (synthetic)\n"
                                        "description: made with k = {:g} N/m^1.5, p = {:g}\n"
                                        "data: indentation.csv\n",
                                        truth.stiffness, truth.exponent));
  const auto impacts = make_impact(truth, true, kNoise, kSeed);
  save_table("impact.csv", make_csv("impact_speed [m/s],rebound_speed [m/s]",
                                    {impacts.impact_speed, impacts.rebound_speed}, {1, 1}));
  save_study("impact", fmt::format("title: Drops from several heights (synthetic)\n"
                                   "description: made with e = 1 - a c, a = {:g} s/m\n"
                                   "data: impact.csv\n"
                                   "model: better   # constant | slope | better\n",
                                   truth.restitution_slope));
  const auto slides = make_sliding(truth, kNoise, kSeed);
  save_table("sliding.csv",
             make_csv("speed [mm/s],friction_force [N],normal_force [N]",
                      {slides.speed, slides.friction_force, slides.normal_force}, {1e3, 1, 1}));
  save_study("sliding", fmt::format("title: A block pulled at several speeds (synthetic)\n"
                                    "description: made with mu_C = {:g}, sigma_2 = {:g} s/m\n"
                                    "data: sliding.csv\n"
                                    "slowest: 3 mm/s   # slower rows are left out\n",
                                    truth.mu_C, truth.sigma_2));
  const auto push = make_presliding(truth, kNoise, kSeed);
  save_table("push.csv",
             make_csv("displacement [um],force [N]", {push.displacement, push.force}, {1e6, 1}));
  save_table("ring_down.csv",
             make_csv("time [ms],displacement [um]", {push.time, push.swing}, {1e3, 1e6}));
  save_study("presliding",
             fmt::format("title: A block pushed gently, then tapped (synthetic)\n"
                         "description: made with sigma_0 = {:g} 1/m, sigma_1 = {:g} s/m\n"
                         "normal_force: {:g} N\nmass: {:g} kg\n"
                         "push: push.csv\nring_down: ring_down.csv\n",
                         truth.sigma_0, truth.sigma_1, truth.normal_force, truth.mass));
  const auto belt = make_stick_slip(truth, kNoise, kSeed);
  save_table("stick_slip.csv", make_csv("belt_speed [m/s],peak_friction [N]",
                                        {belt.belt_speed, belt.peak_friction}, {1, 1}));
  save_study("stick_slip",
             fmt::format(
                 "title: Bowden and Leben's block on a belt (synthetic)\n"
                 "description: made with tau_dw = {:g} s\n"
                 "data: stick_slip.csv\nmass: {:g} kg\nspring_stiffness: {:g} N/m\n"
                 "normal_force: {:g} N\nmu_S: {:g}\nmu_C: {:g}\nsigma_2: {:g} s/m\nv_S: {:g} m/s\n",
                 truth.tau_dw, belt.rig.mass, belt.rig.spring_stiffness, belt.rig.normal_force,
                 belt.rig.mu_S, belt.rig.mu_C, belt.rig.sigma_2, belt.rig.v_S));
  return studies;
}

}  // namespace vesica
