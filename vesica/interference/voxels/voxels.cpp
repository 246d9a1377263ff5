#include "vesica/interference/voxels/voxels.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "vesica/error.h"
#include "vesica/interference/slices/quadric_bounds.h"

namespace vesica {
namespace {

using Index = Eigen::Matrix<std::int64_t, 3, 1>;

Bounds calc_bounds(const SolidParts& parts) {
  Bounds all = Bounds::nothing();
  for (const SignedCell& part : parts) all = all.joined_with(part.cell.bounds);
  return all;
}

class VoxelCounter {
 public:
  // The lattice is that of `fixed`; X_FO places the other body in its frame.
  VoxelCounter(const SolidParts& fixed, const SolidParts& other, const Pose<double>& X_FO,
               double voxel_size)
      : h_(voxel_size) {
    const Bounds box = calc_bounds(fixed).common_with(calc_bounds(other).moved(X_FO));
    if (box.is_empty()) return;
    if (!box.is_finite()) {
      throw InputError(
          "two solids without bounds cannot meet: what they share may be infinite; give one of "
          "them a length, a height or more planes");
    }
    const Vec3d first = (box.min / h_).array().floor(), last = (box.max / h_).array().ceil();
    size_ = 2 * box.half();
    // Beyond this the places of single voxels are not told apart well.
    if (!((last - first).maxCoeff() < 1e12)) refuse();
    origin_ = box.center();
    add(fixed, Pose<double>{}, 0);
    add(other, X_FO, 1);
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      for (std::size_t s = 0; s < cells_[k].surfaces.size(); ++s) open_.push_back({k, s});
    }
    visit(first.cast<std::int64_t>(), last.cast<std::int64_t>(), 0, {0, 0});
  }

  double volume() const { return volume_; }
  VoxelMoments make_moments(const Pose<double>& X_WF) const {
    VoxelMoments m;
    m.boxes = boxes_;
    if (!(volume_ > 0)) return m;
    m.volume = volume_;
    const Vec3d c = first_ / volume_;
    m.centroid = X_WF * Vec3d(origin_ + c);
    m.M = (second_ - Symmetric3<double>::outer(c) * volume_).rotated(X_WF.R_WB);
    m.error_estimate = 0.5 * static_cast<double>(crossed_) * h_ * h_ * h_ / volume_;
    return m;
  }

 private:
  struct Surface {
    Quadric g;
    bool is_plane;
  };
  struct SignedSurfaces {
    std::vector<Surface> surfaces;
    int owner;
    double sign;
  };
  // A surface that crosses the present box, of a cell that nothing excludes there. Those of one
  // cell stand together.
  struct Open {
    std::size_t cell, surface;
  };
  using Inside = std::array<double, 2>;  // signed count of the cells that hold all of the box

  void add(const SolidParts& parts, const Pose<double>& X, int owner) {
    for (const SignedCell& part : parts) {
      SignedSurfaces cell{{}, owner, part.sign};
      for (const Primitive& p : part.cell.primitives) {
        cell.surfaces.push_back({p.g.moved(X), p.is_plane()});
      }
      cells_.push_back(std::move(cell));
    }
  }

  // The voxels from `low` to below `high`; what is open there stands in open_ from `from` on.
  void visit(const Index& low, const Index& high, std::size_t from, Inside inside) {
    if (++boxes_ > kMaxVoxelBoxes) refuse();
    const Vec3d center = 0.5 * h_ * (low + high).cast<double>();
    const Vec3d half = 0.5 * h_ * (high - low).cast<double>();
    const std::size_t to = open_.size();
    bool is_open[2] = {false, false};
    for (std::size_t k = from; k < to;) {
      const std::size_t cell = open_[k].cell, kept = open_.size();
      bool fails = false;
      for (; k < to && open_[k].cell == cell; ++k) {
        if (fails) continue;
        const Open item = open_[k];
        const Surface& surface = cells_[cell].surfaces[item.surface];
        double least, greatest;
        detail::bound_over_box(surface.g, surface.is_plane, center, half, &least, &greatest);
        fails = least > 0;
        if (greatest > 0) open_.push_back(item);
      }
      if (fails) {
        open_.resize(kept);
      } else if (open_.size() == kept) {
        inside[static_cast<std::size_t>(cells_[cell].owner)] += cells_[cell].sign;
      } else {
        is_open[cells_[cell].owner] = true;
      }
    }
    const bool may_be[2] = {is_open[0] || inside[0] > 0, is_open[1] || inside[1] > 0};
    if (may_be[0] && may_be[1]) {
      if (!is_open[0] && !is_open[1]) {
        count(center, half);
      } else if ((high - low).maxCoeff() == 1) {
        ++crossed_;
        if (holds_center(center, to, inside)) count(center, half);
      } else {
        const Index middle = (low + high) / 2;
        for (int corner = 0; corner < 8; ++corner) {
          Index a = low, b = high;
          for (int axis = 0; axis < 3; ++axis) {
            (corner >> axis & 1 ? a : b)[axis] = middle[axis];
          }
          if ((a.array() < b.array()).all()) visit(a, b, to, inside);
        }
      }
    }
    open_.resize(to);
  }

  [[noreturn]] void refuse() const {
    throw InputError(fmt::format(
        "voxels of {:.3g} m are too fine: the octree of the {:.3g} x {:.3g} x {:.3g} m where the "
        "bodies may overlap has more than {:.0e} boxes; use a larger voxel_size, or the method "
        "slices, which needs none",
        h_, size_.x(), size_.y(), size_.z(), static_cast<double>(kMaxVoxelBoxes)));
  }

  bool holds_center(const Vec3d& center, std::size_t from, Inside inside) const {
    for (std::size_t k = from; k < open_.size();) {
      const std::size_t cell = open_[k].cell;
      bool holds = true;
      for (; k < open_.size() && open_[k].cell == cell; ++k) {
        holds = holds && cells_[cell].surfaces[open_[k].surface].g(center) <= 0;
      }
      if (holds) inside[static_cast<std::size_t>(cells_[cell].owner)] += cells_[cell].sign;
    }
    return inside[0] > 0 && inside[1] > 0;
  }

  void count(const Vec3d& center, const Vec3d& half) {
    const double volume = 8 * half.prod();
    const Vec3d c = center - origin_, h2 = half.cwiseProduct(half) * (volume / 3);
    volume_ += volume;
    first_ += volume * c;
    second_ = second_ + Symmetric3<double>::outer(c) * volume +
              Symmetric3<double>{h2.x(), h2.y(), h2.z(), 0, 0, 0};
  }

  double h_;
  Vec3d size_ = Vec3d::Zero();    // of the box where both may be
  Vec3d origin_ = Vec3d::Zero();  // of the moments: near what is counted
  std::vector<SignedSurfaces> cells_;
  std::vector<Open> open_;  // a stack, one stretch for each level of the octree
  std::int64_t boxes_ = 0, crossed_ = 0;
  double volume_ = 0;
  Vec3d first_ = Vec3d::Zero();
  Symmetric3<double> second_ = Symmetric3<double>::zero();
};

// By the shapes alone, so that the lattice does not change sides while they move.
bool is_lattice_of_i(const SolidParts& i, const SolidParts& j) {
  const Bounds a = calc_bounds(i), b = calc_bounds(j);
  if (!a.is_finite() || !b.is_finite()) return a.is_finite();
  return a.half().norm() <= b.half().norm();
}

}  // namespace

VoxelMoments calc_voxel_moments(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                                const Pose<double>& X_WJ, double voxel_size) {
  if (is_lattice_of_i(i, j)) {
    return VoxelCounter(i, j, calc_relative_pose(X_WI, X_WJ), voxel_size).make_moments(X_WI);
  }
  return VoxelCounter(j, i, calc_relative_pose(X_WJ, X_WI), voxel_size).make_moments(X_WJ);
}

Vec3d calc_voxel_area_vector(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                             const Pose<double>& X_WJ, double voxel_size) {
  const bool of_i = is_lattice_of_i(i, j);
  const Pose<double>& X_WF = of_i ? X_WI : X_WJ;
  const Pose<double> X_FO = calc_relative_pose(X_WF, of_i ? X_WJ : X_WI);
  Vec3d change;  // of the volume while the other body is shifted
  for (int axis = 0; axis < 3; ++axis) {
    double volume[2];
    for (const int side : {0, 1}) {
      Pose<double> X = X_FO;
      X.p_WB[axis] += side == 0 ? -voxel_size : voxel_size;
      volume[side] =
          (of_i ? VoxelCounter(i, j, X, voxel_size) : VoxelCounter(j, i, X, voxel_size)).volume();
    }
    change[axis] = (volume[1] - volume[0]) / (2 * voxel_size);
  }
  return X_WF.R_WB * (of_i ? change : Vec3d(-change));
}

Overlap<double> calc_voxel_overlap(const SolidParts& i, const Pose<double>& X_WI,
                                   const SolidParts& j, const Pose<double>& X_WJ, double voxel_size,
                                   ContactNormal normal, Wanted wanted) {
  const VoxelMoments m = calc_voxel_moments(i, X_WI, j, X_WJ, voxel_size);
  Overlap<double> o = far_apart<double>();
  if (!(m.volume > 0)) {
    if (!wanted.gap) return o;
    const detail::Gap gap = detail::calc_gap(i, X_WI, j, X_WJ);
    o.distance = gap.distance;
    o.p_WC = o.p_WD = gap.p_WC;
    o.n_W = gap.n_W;
    return o;
  }
  const SharedMoments<double> moments = {m.volume, m.centroid, m.M,
                                         calc_voxel_area_vector(i, X_WI, j, X_WJ, voxel_size)};
  o.volume = m.volume;
  o.p_WC = o.p_WD = m.centroid;
  o.M_W = m.M;
  o.n_W = detail::calc_normal(i, X_WI, j, X_WJ, moments, normal);
  o.distance = -calc_mean_depth(m.volume, moments.area_W.norm());
  o.has_mean_depth = true;
  if (normal != ContactNormal::kEigenvector) detail::set_plane(i, X_WI, j, X_WJ, &o);
  if (wanted.depth) {
    std::vector<detail::SharedCells> shared;
    calc_shared_moments(i, X_WI, j, X_WJ, {1e-3, 400}, &shared);
    detail::set_depth(i, X_WI, j, X_WJ, shared, &o);
  }
  return o;
}

void refuse_voxel_derivatives() {
  throw InputError(
      "interference method 'voxels' has no derivatives: its volume is a step function of the "
      "pose; use the method slices, or what needs none (an explicit integrator, no sensitivities)");
}

}  // namespace vesica
