// What lines that wrap and pressure maps cost: microseconds of a segment over a sphere, a cylinder
// and ellipsoids, plain and with twelve derivatives; of one frame of a map, and how often it
// allocates.
#include <benchmark/benchmark.h>

#include "bench/allocations.h"
#include "vesica/contact/pressure_sums.h"
#include "vesica/multibody/line_wrap.h"

namespace vesica {
namespace {

const Vec3d kFrom(-0.05, 0.012, 0.004), kTo(0.045, 0.011, -0.003);

void sphere(benchmark::State& state) {
  Vec3d p = kFrom;
  for (auto _ : state) {
    p.y() += 1e-12;
    benchmark::DoNotOptimize(wrap_sphere(0.02, p, kTo).length);
  }
}
BENCHMARK(sphere);

void cylinder(benchmark::State& state) {
  Vec3d p = kFrom;
  for (auto _ : state) {
    p.y() += 1e-12;
    benchmark::DoNotOptimize(wrap_cylinder(0.02, p, kTo).length);
  }
}
BENCHMARK(cylinder);

template <class T>
void ellipsoid(benchmark::State& state) {
  const double ratio = static_cast<double>(state.range(0)) / 10;
  const Vec3<T> radii = cast_vector<T>(Vec3d(0.02, 0.02 * std::sqrt(ratio), 0.02 * ratio));
  Vec3<T> p = cast_vector<T>(kFrom), q = cast_vector<T>(kTo);
  for (auto _ : state) {
    p[1] = p[1] + T(1e-12);
    benchmark::DoNotOptimize(wrap_ellipsoid<T>(radii, p, q).length);
  }
}
BENCHMARK(ellipsoid<double>)->Arg(10)->Arg(12)->Arg(15)->Arg(20)->Arg(40);
BENCHMARK(ellipsoid<Dual<12>>)->Arg(10)->Arg(15)->Arg(40);

// A condyle on a plateau, 1 mm deep, on cells of 1 mm.
void map_frame(benchmark::State& state) {
  Contact<double> contact;
  if (state.range(0) == 0) {
    contact.pair = {SphereOnHalfSpace<double>{{0.02}}, false};
  } else {
    contact.pair = {EllipsoidOnHalfSpace<double>{{Vec3d(0.02, 0.025, 0.02)}}, false};
  }
  contact.normal = VolumetricNormal<double>{4e9, 0.1};
  Motion<double> i, j;
  i.X_WB.p_WB = Vec3d(0.001, 0.002, 0.019);
  PressureGrid grid;
  grid.dx = grid.dy = 1e-3;
  grid.nx = 40;
  grid.ny = 50;
  grid.x_min = -0.02;
  grid.y_min = -0.025;
  grid.regions = {{"anterior", -kInfinity, kInfinity, 0, kInfinity},
                  {"posterior", -kInfinity, kInfinity, -kInfinity, 0}};
  const auto overlap = calc_overlap(contact, i.X_WB, j.X_WB);
  const auto forces = calc_contact(contact, i, j, ContactMemory<double>{});
  PressureSampler sampler;
  PressureFrame frame;
  const auto make = [&] {
    PressureSampler::begin(grid, &frame);
    sampler.add(contact, contact, overlap, forces, i, j, {}, Pose<double>{}, grid, &frame);
    PressureSampler::finish(grid, &frame);
  };
  make();
  const long before = bench::allocation_count();
  make();
  state.counters["allocations"] = static_cast<double>(bench::allocation_count() - before);
  for (auto _ : state) {
    make();
    benchmark::DoNotOptimize(frame.all.force);
  }
}
BENCHMARK(map_frame)->Arg(0)->Arg(1);

}  // namespace
}  // namespace vesica

BENCHMARK_MAIN();
