#include "vesica/report/body_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>

#include "vesica/model/make_contact.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"
#include "vesica/report/motion_reader.h"
#include "vesica/simulation/make_scene.h"

namespace vesica {
namespace {

constexpr int kFewestCells = 16;          // along a cell, however small it is in its solid
constexpr double kPlateMargin = 1.5;      // side of a half-space's plate by what stands on it
constexpr double kPlateThickness = 0.02;  // of its side
constexpr double kLonePlate = 1;          // m, where nothing else has a size

std::vector<Pose<double>> calc_start_poses(const Scene<double>& scene) {
  TreeData<double> data = make_tree_data<double>(scene.tree);
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].is_free) data.motions[b] = scene.bodies[b].prescribed.at(0);
  }
  calc_tree_motions(scene.tree, 0, scene.q0.data(), scene.u0.data(), &data);
  std::vector<Pose<double>> poses;
  for (const Motion<double>& motion : data.motions) poses.push_back(motion.X_WB);
  return poses;
}

// Corners of its own for every triangle, with the triangle's normal: faces stay flat beside curved
// ones in one body.
SurfaceMesh make_faceted(const SurfaceMesh& mesh) {
  SurfaceMesh faceted;
  for (const auto& t : mesh.triangles) {
    const Vec3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3d area = (b - a).cross(c - a);
    if (area.norm() == 0) continue;  // nothing to see
    const auto first = static_cast<std::int32_t>(faceted.vertices.size());
    faceted.vertices.insert(faceted.vertices.end(), {a, b, c});
    faceted.normals.insert(faceted.normals.end(), 3, area.normalized());
    faceted.triangles.push_back({first, first + 1, first + 2});
  }
  return faceted;
}

// Rings from pole to pole about z.
SurfaceMesh make_ellipsoid_mesh(const Vec3d& radii, int around) {
  const int rings = std::max(2, around / 2);
  SurfaceMesh mesh;
  auto add_vertex = [&](const Vec3d& on_unit_sphere) {
    mesh.vertices.push_back(radii.cwiseProduct(on_unit_sphere));
    // The gradient of |x/r|^2, scaled by the smallest radius, so that no size overflows.
    mesh.normals.push_back(
        (on_unit_sphere.array() * (radii.minCoeff() / radii.array())).matrix().normalized());
  };
  add_vertex(Vec3d::UnitZ());
  for (int ring = 1; ring < rings; ++ring) {
    const double polar = std::numbers::pi * ring / rings;
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      add_vertex(
          {std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar)});
    }
  }
  add_vertex(-Vec3d::UnitZ());
  const int south = static_cast<int>(mesh.vertices.size()) - 1;
  auto at = [&](int ring, int k) { return 1 + (ring - 1) * around + k % around; };
  for (int k = 0; k < around; ++k) {
    mesh.triangles.push_back({0, at(1, k), at(1, k + 1)});
    for (int ring = 1; ring + 1 < rings; ++ring) {
      const int a = at(ring, k), b = at(ring + 1, k), c = at(ring + 1, k + 1), d = at(ring, k + 1);
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
    mesh.triangles.push_back({south, at(rings - 1, k + 1), at(rings - 1, k)});
  }
  return mesh;
}

SurfaceMesh make_cell_mesh(const Cell& cell, double solid_size, int cells) {
  const double share = 2 * cell.bounds.half().maxCoeff() / solid_size;
  const int own = static_cast<int>(std::ceil(cells * std::min(1.0, share)));
  const SurfaceMesh mesh = make_surface_mesh(cell, std::max(own, std::min(kFewestCells, cells)));
  return mesh.normals.empty() ? make_faceted(mesh) : mesh;
}

// Nothing for what has no size or no end.
std::optional<SurfaceMesh> make_shape_mesh(const Shape<double>& shape, int cells) {
  if (const auto* sphere = std::get_if<Sphere<double>>(&shape)) {
    return make_ellipsoid_mesh(Vec3d::Constant(sphere->radius), cells);
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid<double>>(&shape)) {
    return make_ellipsoid_mesh(ellipsoid->radii, cells);
  }
  if (const auto* box = std::get_if<Box<double>>(&shape)) {
    return make_faceted(make_surface_mesh(make_box_polyhedron(box->size)));
  }
  if (const auto* mesh = std::get_if<MeshShape>(&shape)) {
    return make_faceted(make_surface_mesh(*mesh->mesh));
  }
  if (const auto* solid = std::get_if<SolidShape>(&shape)) {
    const double size = 2 * solid->solid->bounds.half().maxCoeff();
    SurfaceMesh all;
    for (const Cell& cell : solid->solid->cells) {
      append_mesh(make_cell_mesh(cell, size, cells), {}, &all);
    }
    return all;
  }
  return std::visit(
      [&](const auto& s) -> std::optional<SurfaceMesh> {
        if constexpr (requires { make_surface_mesh(s, cells); }) return make_surface_mesh(s, cells);
        return {};
      },
      shape);
}

// A box around all meshes, along the axes of a frame F in the world.
Bounds calc_bounds_in(const Pose<double>& X_WF, const std::vector<ShownBody>& bodies) {
  Bounds all = Bounds::nothing();
  for (const ShownBody& body : bodies) {
    for (const Vec3d& x : body.mesh.vertices) {
      const Vec3d x_F = X_WF.R_WB.transpose() * (body.X_WB * x - X_WF.p_WB);
      all = all.joined_with({x_F, x_F});
    }
  }
  return all;
}

// Below z = 0, with its middle under that of the box.
SurfaceMesh make_plate(const Bounds& box) {
  const bool is_alone = box.is_empty();
  const double side = is_alone ? kLonePlate : kPlateMargin * 2 * box.half().maxCoeff();
  Vec3d middle = is_alone ? Vec3d::Zero() : box.center();
  middle.z() = -0.5 * kPlateThickness * side;
  const Vec3d size(side, side, kPlateThickness * side);
  SurfaceMesh plate;
  append_mesh(make_faceted(make_surface_mesh(make_box_polyhedron(size))),
              {Mat3d::Identity(), middle}, &plate);
  return plate;
}

}  // namespace

std::vector<ShownBody> list_bodies(const InputFile& file) {
  if (!file.root().find("bodies")) {
    file.root().fail("it has no 'bodies' to show; expected a scene or a case for vesica probe");
  }
  std::vector<ShownBody> bodies;
  const auto add = [&](const auto& model, const model::Body<>& body, const Pose<double>& X_WB,
                       bool is_fixed) {
    auto shapes = make_shapes(body, *model.places, join_path("bodies", body.name));
    bodies.push_back({body.name, is_fixed, X_WB, std::move(shapes), {}, {}});
  };
  if (is_scene(file)) {
    const Model model = read_model(file);
    const auto scene = make_scene<double>(model);
    const auto poses = calc_start_poses(scene);
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
      const auto& body = scene.bodies[b];
      add(model, model.bodies[b], poses[b], !body.is_free && !body.prescribed.moves);
    }
  } else {
    const Case model = read_case(file);
    const ProbeCase probe = make_probe_case(model);
    add(model, model.bodies[0], probe.i.X_WB, false);
    add(model, model.bodies[1], probe.j.X_WB, true);
  }
  return bodies;
}

double move_to_recorded(const RunFolder& run, double time, std::vector<ShownBody>* bodies) {
  const std::vector<double>& times = run.recording.times;
  if (times.empty() || !(time >= times.front() && time <= times.back())) {
    throw InputError(fmt::format("--time {}: {}/recording.csv runs from {} to {} s", time,
                                 run.folder, times.empty() ? 0 : times.front(),
                                 times.empty() ? 0 : times.back()));
  }
  const auto after = std::lower_bound(times.begin(), times.end(), time);
  auto row = static_cast<size_t>(after - times.begin());
  if (row > 0 && time - times[row - 1] < times[row] - time) --row;

  const auto scene = make_scene<double>(read_model(run.scene));
  const MotionReader motions(run, scene);
  for (size_t b = 0; b < bodies->size(); ++b) {
    ShownBody& body = (*bodies)[b];
    body.X_WB = motions.at(b, row).X_WB;
    if (!body.X_WB.p_WB.allFinite() || !body.X_WB.R_WB.allFinite()) {
      throw InputError(fmt::format(
          "{}/recording.csv: no pose of '{}' at {} s (missing or not a number); choose another "
          "--time, or run the scene again",
          run.folder, body.name, times[row]));
    }
  }
  return times[row];
}

void mesh_bodies(int cells, std::vector<ShownBody>* bodies) {
  for (ShownBody& body : *bodies) {
    for (const auto& placed : body.shapes) {
      if (std::holds_alternative<HalfSpace>(placed.shape)) continue;
      if (const auto mesh = make_shape_mesh(placed.shape, cells)) {
        append_mesh(*mesh, placed.X_BS, &body.mesh);
      } else {
        body.notes.push_back(fmt::format("body '{}': its {} has no volume and is left out",
                                         body.name, shape_name(placed.shape)));
      }
    }
    if (body.shapes.empty()) {
      body.notes.push_back(fmt::format("body '{}' has no shape and is left out", body.name));
    }
  }
  // Plates are as large as all that is not a plate: first all sizes, then the plates.
  std::vector<std::pair<ShownBody*, SurfaceMesh>> plates;
  for (ShownBody& body : *bodies) {
    for (const auto& placed : body.shapes) {
      if (!std::holds_alternative<HalfSpace>(placed.shape)) continue;
      SurfaceMesh on_body;
      append_mesh(make_plate(calc_bounds_in(calc_shape_pose(body.X_WB, placed.X_BS), *bodies)),
                  placed.X_BS, &on_body);
      plates.emplace_back(&body, std::move(on_body));
    }
  }
  for (const auto& [body, plate] : plates) append_mesh(plate, {}, &body->mesh);
}

}  // namespace vesica
