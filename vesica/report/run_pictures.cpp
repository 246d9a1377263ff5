// Pictures that need the scene: the moving bodies, and pressure over the contact patch.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/geometry/surface_mesh.h"
#include "vesica/model/make_contact.h"
#include "vesica/report/motion_reader.h"
#include "vesica/report/pressure_svg.h"
#include "vesica/report/run_page.h"

namespace vesica {
namespace {

constexpr size_t kMostPlayerFrames = 400;
constexpr size_t kMostVertices = 600;
constexpr size_t kMostTriangles = 8000;  // of one part that is not convex
constexpr size_t kMostParts = 400;       // of one body
constexpr int kGrid = 24;                // cubes along a cell that is no polyhedron
constexpr size_t kMostContacts = 6;
constexpr int kCells = 90;
constexpr int kWrapPoints = 9;  // of a line on a surface

// Of many points those that reach furthest in directions all round: corners stay.
std::vector<Vec3d> choose_outline(const std::vector<Vec3d>& points) {
  if (points.size() <= kMostVertices) return points;
  std::vector<size_t> chosen;
  for (size_t k = 0; k < kMostVertices; ++k) {
    // Evenly over the sphere, along a spiral (golden angle).
    const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(kMostVertices);
    const double r = std::sqrt(1 - z * z), angle = 2.399963229728653 * static_cast<double>(k);
    const Vec3d way(r * std::cos(angle), r * std::sin(angle), z);
    size_t furthest = 0;
    for (size_t i = 1; i < points.size(); ++i) {
      if (points[i].dot(way) > points[furthest].dot(way)) furthest = i;
    }
    chosen.push_back(furthest);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vec3d> outline;
  for (const size_t k : chosen) outline.push_back(points[k]);
  return outline;
}

void set_shape(const PlacedShape<double>& placed, PlayedBody* body) {
  using PlayedShape = PlayedBody::Shape;
  for (int r = 0; r < 3; ++r) {
    body->shape_position[r] = placed.X_BS.p_WB[r];
    for (int c = 0; c < 3; ++c) body->shape_rotation[3 * r + c] = placed.X_BS.R_WB(r, c);
  }
  auto set_size = [&](const Vec3d& v) { body->size = {v.x(), v.y(), v.z()}; };
  if (std::holds_alternative<HalfSpace>(placed.shape)) body->shape = PlayedShape::kHalfSpace;
  if (const auto* sphere = std::get_if<Sphere<double>>(&placed.shape)) {
    body->shape = PlayedShape::kSphere;
    set_size(Vec3d::Constant(sphere->radius));
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid<double>>(&placed.shape)) {
    body->shape = PlayedShape::kEllipsoid;
    set_size(ellipsoid->radii);
  }
  if (const auto* box = std::get_if<Box<double>>(&placed.shape)) {
    body->shape = PlayedShape::kBox;
    set_size(box->size);
  }
  auto set_hull = [&](const std::vector<Vec3d>& vertices) {
    body->shape = PlayedShape::kHull;
    for (const Vec3d& v : choose_outline(vertices)) {
      body->vertices.insert(body->vertices.end(), v.data(), v.data() + 3);
    }
  };
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { make_surface_mesh(s, kGrid); }) {
          set_hull(make_surface_mesh(s, kGrid).vertices);
        }
      },
      placed.shape);
  const auto set_mesh = [&](const auto& vertices, const auto& triangles) {
    body->shape = PlayedShape::kMesh;
    for (const Vec3d& v : vertices) {
      body->vertices.insert(body->vertices.end(), v.data(), v.data() + 3);
    }
    for (const auto& t : triangles)
      body->triangles.insert(body->triangles.end(), t.begin(), t.end());
  };
  if (const auto* mesh = std::get_if<MeshShape>(&placed.shape)) {
    const bool fits = !mesh->mesh->is_convex() && mesh->mesh->triangles().size() <= kMostTriangles;
    fits ? set_mesh(mesh->mesh->vertices(), mesh->mesh->triangles())
         : set_hull(mesh->mesh->vertices());
  }
  if (const auto* solid = std::get_if<SolidShape>(&placed.shape)) {
    const Cell& cell = solid->solid->cells[0];
    // What a complement takes away is seen.
    const bool is_convex =
        std::none_of(cell.primitives.begin(), cell.primitives.end(),
                     [](const Primitive& p) { return p.is_complement && !p.is_plane(); });
    SurfaceMesh surface = make_surface_mesh(cell, kGrid);
    if (!is_convex && surface.triangles.size() > kMostTriangles) {
      surface = make_surface_mesh(cell, kGrid / 2);
    }
    is_convex ? set_hull(surface.vertices) : set_mesh(surface.vertices, surface.triangles);
  }
}

// The shapes of a body, solids cell by cell; too many to draw are cut off.
std::vector<std::optional<PlacedShape<double>>> list_parts(const Model& model,
                                                           const model::Body<>& body) {
  const auto shapes = make_shapes(body, *model.places, join_path("bodies", body.name));
  std::vector<std::optional<PlacedShape<double>>> parts;
  for (const auto& placed : shapes) {
    const auto* solid = std::get_if<SolidShape>(&placed.shape);
    if (!solid) {
      parts.emplace_back(placed);
      continue;
    }
    for (const Cell& cell : solid->solid->cells) {
      parts.emplace_back(placed);
      parts.back()->shape = SolidShape{std::make_shared<Solid>(make_solid({cell}))};
    }
  }
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  return parts;
}

// Up is against gravity, or z without; across is the other axis with the most motion.
void choose_view(const Scene<double>& scene, const MotionReader& motions, Player* player) {
  Vec3d low = Vec3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].is_free) continue;
    for (int axis = 0; axis < 3; ++axis) {
      for (double v : motions.columns(b)[axis]) {
        if (!std::isfinite(v)) continue;
        low[axis] = std::min(low[axis], v);
        high[axis] = std::max(high[axis], v);
      }
    }
  }
  const Vec3d range = high - low;
  int order[3] = {0, 1, 2};
  std::stable_sort(order, order + 3, [&](int a, int b) { return range[a] > range[b]; });
  if (scene.gravity.norm() > 0) {
    scene.gravity.cwiseAbs().maxCoeff(&player->up);
    player->down = scene.gravity[player->up] > 0;
    player->across = order[0] == player->up ? order[1] : order[0];
  } else {
    player->across = std::min(order[0], order[1]);
    player->up = std::max(order[0], order[1]);
  }
}

// The impact speed that the contact remembers at `time`.
ContactMemory<double> find_memory(const ContactTimes& times, double time) {
  ContactMemory<double> memory;
  for (const auto& [touchdown, speed] : times.touchdown_speeds) {
    if (touchdown <= time) memory.impact_speed = speed;
  }
  return memory;
}

// Rows worth a picture: the greatest force, half way through the time in contact, the last in
// contact.
std::vector<std::pair<size_t, const char*>> choose_instants(const std::vector<double>& force) {
  std::vector<size_t> loaded;
  for (size_t r = 0; r < force.size(); ++r) {
    if (force[r] > 0) loaded.push_back(r);
  }
  if (loaded.empty()) return {};
  const size_t peak = *std::max_element(loaded.begin(), loaded.end(),
                                        [&](size_t a, size_t b) { return force[a] < force[b]; });
  std::vector<std::pair<size_t, const char*>> instants = {{peak, "greatest recorded force"}};
  auto add = [&](size_t row, const char* what) {
    for (const auto& [r, w] : instants) {
      if (r == row) return;
    }
    instants.push_back({row, what});
  };
  add(loaded[loaded.size() / 2], "half way through the rows in contact");
  add(loaded.back(), loaded.back() + 1 == force.size() ? "at the end" : "last row in contact");
  return instants;
}

// Bodies that joints carry: from the parent's mass centre to the joint (the world's is the joint
// itself), and from there to the body's.
void add_links(const Model& model, Player* player) {
  const auto find = [&](const std::string& name) {
    for (size_t k = 0; k < player->bodies.size(); ++k) {
      if (player->bodies[k].name == name) return static_cast<int>(k);
    }
    return -1;
  };
  const auto as_array = [](const std::optional<model::Frame<>>& frame) {
    const Vec3d p = frame ? frame->position : Vec3d(Vec3d::Zero());
    return std::array<double, 3>{p.x(), p.y(), p.z()};
  };
  for (const auto& body : model.bodies) {
    if (!body.joint) continue;
    const int child = find(body.name), parent = find(body.joint->parent);
    if (child < 0) continue;
    player->links.push_back({child, child, as_array(body.joint->in_body), {}});
    if (parent < 0) continue;
    player->links.push_back({parent, parent, as_array(body.joint->in_parent), {}});
  }
}

// Where a line runs at a row: its points, and kWrapPoints more for every surface, as many where it
// misses it.
std::vector<Vec3d> list_line_points(const LinePath<double>& path, const MotionReader& motions,
                                    size_t row) {
  const auto at = [&](const LinePoint<double>& point) {
    return Vec3d(motions.at(static_cast<size_t>(point.body), row).X_WB * point.p_B);
  };
  std::vector<Vec3d> points = {at(path.points.front())};
  auto wrap = path.wraps.begin();
  for (size_t k = 1; k < path.points.size(); ++k) {
    const Vec3d to = at(path.points[k]);
    if (wrap != path.wraps.end() && wrap->segment + 1 == static_cast<int>(k)) {
      const Pose<double> X =
          calc_shape_pose(motions.at(static_cast<size_t>(wrap->body), row).X_WB, wrap->X_BS);
      const auto inside = [&](const Vec3d& p) { return Vec3d(X.R_WB.transpose() * (p - X.p_WB)); };
      const auto way = sample_wrap(*wrap, inside(points.back()), inside(to), kWrapPoints);
      const bool wraps = way.size() > 2;
      for (int m = 0; m < kWrapPoints; ++m) {
        points.push_back(wraps ? X * way[static_cast<size_t>(m) + 1] : to);
      }
      ++wrap;
    }
    points.push_back(to);
  }
  return points;
}

}  // namespace

Player make_run_player(const RunFolder& run, const Model& model, const Scene<double>& scene) {
  const MotionReader motions(run, scene);
  const size_t rows = run.recording.rows(), stride = 1 + (rows - 1) / kMostPlayerFrames;
  std::vector<size_t> frames;
  for (size_t r = 0; r < rows; r += stride) frames.push_back(r);
  if (frames.back() != rows - 1) frames.push_back(rows - 1);

  Player player;
  player.title = "Bodies in motion";
  choose_view(scene, motions, &player);
  for (size_t r : frames) player.times.push_back(run.recording.times[r]);
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& body = scene.bodies[b];
    PlayedBody moving;
    moving.name = body.name;
    moving.trail = body.is_free;
    const bool rests = !body.is_free && !body.prescribed.moves;
    for (size_t r : frames) {
      const Pose<double> X = motions.at(b, r).X_WB;
      const Eigen::Quaterniond q(X.R_WB);
      moving.poses.insert(moving.poses.end(),
                          {X.p_WB.x(), X.p_WB.y(), X.p_WB.z(), q.w(), q.x(), q.y(), q.z()});
      if (rests) break;
    }
    // One for every shape, or for the body's origin.
    auto parts = list_parts(model, model.bodies[b]);
    if (parts.empty()) parts.emplace_back();
    for (size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) {
        moving.trail = false;
        moving.name.clear();
      }
      PlayedBody& played = player.bodies.emplace_back(moving);
      if (parts[k]) set_shape(*parts[k], &played);
      played.patch = body.is_free && played.shape == PlayedBody::Shape::kHalfSpace;
    }
  }
  for (const auto& line : scene.lines) {
    PlayedLine& played = player.lines.emplace_back();
    played.name = line.name;
    const auto tension = run.column(line.name + ".force");
    for (size_t r : frames) {
      for (const Vec3d& p : list_line_points(line.path, motions, r)) {
        played.points.insert(played.points.end(), {p.x(), p.y(), p.z()});
      }
      played.tension.push_back(tension[r]);
    }
  }
  add_links(model, &player);
  for (const auto& contact : scene.contacts) {
    PlayedForce& played = player.forces.emplace_back();
    played.name = contact.name;
    const auto force = run.column(contact.name + ".normal_force");
    std::vector<std::vector<double>> parts;
    for (const char* name : {".pressure_center.x", ".pressure_center.y", ".pressure_center.z",
                             ".force.x", ".force.y", ".force.z"}) {
      parts.push_back(run.column(contact.name + name));
    }
    for (size_t r : frames) {
      for (const auto& part : parts) played.values.push_back(force[r] > 0 ? part[r] : kMissing);
    }
  }
  player.note =
      "Dotted: the path of a body's origin. Red: the contact force on the first body of a contact, "
      "at the centre of pressure. Double-click: closer.";
  if (!scene.lines.empty()) {
    player.note += " Lines under tension: red, the wider the tighter; dashed where slack.";
  }
  if (stride > 1) {
    player.note += fmt::format(" One row in {} of the recording is a frame here.", stride);
  }
  return player;
}

void add_pressure_snapshots(const RunFolder& run, const Scene<double>& scene, HtmlPage* page) {
  const MotionReader motions(run, scene);
  page->add_heading("Contact patch and pressure",
                    "Seen along the contact normal; recomputed from the scene and the recorded "
                    "motion. u and v are axes in the contact plane.");
  size_t shown = 0;
  for (const auto& c : scene.contacts) {
    const auto force = run.column(c.name + ".normal_force");
    const auto instants = choose_instants(force);
    if (instants.empty()) continue;
    if (c.parts) {
      page->add_text(
          fmt::format("{}: between bodies of several parts, whose patches are not drawn.", c.name));
      continue;
    }
    if (shown++ == kMostContacts) {
      page->add_text(
          fmt::format("Only the first {} contacts that touch are shown here.", kMostContacts));
      break;
    }
    page->add_subheading(c.name);
    page->begin_grid();
    const ContactTimes times = read_contact_times(run, c.name);
    for (const auto& [row, what] : instants) {
      const double time = run.recording.times[row];
      const Motion<double> i = motions.at(static_cast<size_t>(c.body_i), row);
      const Motion<double> j = motions.at(static_cast<size_t>(c.body_j), row);
      const auto memory = find_memory(times, time);
      const auto forces = calc_contact(c.contact, i, j, memory);
      const PressureMap map = calc_pressure_map(c.contact, i, j, memory, kCells);
      std::string caption;
      const double recorded = force[row], again = forces.normal.force;
      // The recording and the scene give the same force to rounding; a percent is another contact.
      if (!(std::abs(again - recorded) <= 0.01 * recorded)) {
        caption = fmt::format(
            "The recorded force is {:.4g} N: the scene gives {:.4g} N at this motion, so this map "
            "is not that of the run (impact speed unknown, or the scene was changed).",
            recorded, again);
      }
      page->add_svg(make_pressure_svg(map, forces, fmt::format("{:.6g} s, {}", time, what)),
                    caption);
    }
    page->end_grid();
  }
  if (shown == 0) page->add_text("No contact touches at a recorded instant.");
}

}  // namespace vesica
