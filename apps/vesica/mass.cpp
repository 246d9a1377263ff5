// Mass properties of bodies from their shapes. docs/howto/mass.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/scene_files.h"
#include "vesica/geometry/mass_properties.h"
#include "vesica/io/file_error.h"
#include "vesica/io/obj.h"
#include "vesica/io/units.h"
#include "vesica/model/make_contact.h"
#include "vesica/model/model_file.h"
#include "vesica/model/uniform_mass.h"

namespace vesica::app {
namespace {

using Json = nlohmann::ordered_json;

struct MassOptions {
  std::string file, body, density, mass;
  std::vector<std::string> settings;
  double scale = 1;
};

struct BodyMass {
  std::string name;
  std::optional<double> given;  // mass of the body in the file
  UniformMass<double> solid;
  std::vector<Pose<double>> shapes;  // on the body
};

constexpr double kWater = 1000;  // kg/m^3, where neither mass nor density is known

double read_option(const std::string& text, const Dimension& dimension, const char* option) {
  try {
    const double value = parse_quantity(text, dimension);
    if (!(value > 0)) throw InputError("must be greater than zero");
    return value;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

BodyMass measure_mesh(const std::string& path, double scale) {
  BodyMass body;
  body.name = std::filesystem::path(path).stem().string();
  PlacedShape<double> placed;
  placed.shape = MeshShape{std::make_shared<TriangleMesh>(load_mesh(path, scale))};
  const Places places;
  body.solid = calc_uniform_mass<double>({placed}, {places, path});
  body.shapes.emplace_back();
  return body;
}

struct Measured {
  std::vector<BodyMass> bodies;
  std::vector<std::string> left_out;  // why, of bodies whose shapes have no mass
  std::vector<std::string> noted;     // those of them that have one in the file
};

BodyMass measure_body(const model::Body<>& given, const std::vector<PlacedShape<double>>& shapes,
                      const PartPlace& place) {
  // Advice that the body has followed already, or does not need, is none.
  const bool needs_inertia = !given.is_given() && !given.inertia;
  BodyMass body{given.name, given.mass, {}, {}};
  body.solid = calc_uniform_mass<double>(
      shapes, place.below(given.has_shape_list ? "shapes" : "shape"),
      needs_inertia ? "in a scene, give the body 'inertia'" : "no mass follows from its shapes");
  for (const auto& placed : shapes) body.shapes.push_back(placed.X_BS);
  return body;
}

// Of all bodies, or the one that is asked for: others may be what they are.
template <class Bodies>
void measure_bodies(const Bodies& bodies, const Places& places, const std::string& only,
                    Measured* measured) {
  std::vector<std::string_view> names;
  for (const auto& given : bodies) names.push_back(given.name);
  if (!only.empty() && std::find(names.begin(), names.end(), only) == names.end()) {
    throw InputError(fmt::format("--body: {}", say_unknown(only, names)));
  }
  for (const auto& given : bodies) {
    if (!only.empty() && given.name != only) continue;
    const std::string path = join_path("bodies", given.name);
    const std::vector<PlacedShape<double>> shapes = make_shapes(given, places, path);
    if (shapes.empty()) {
      measured->left_out.push_back(fmt::format("{} has no shapes", path));
      continue;
    }
    try {
      measured->bodies.push_back(measure_body(given, shapes, {places, path}));
    } catch (const FileError&) {
      throw;
    } catch (const InputError& error) {
      measured->left_out.emplace_back(error.what());
      if (given.mass) measured->noted.emplace_back(error.what());
    }
  }
}

Measured measure(const MassOptions& options) {
  const std::string extension = std::filesystem::path(options.file).extension().string();
  Measured measured;
  if (extension == ".stl" || extension == ".STL" || extension == ".obj" || extension == ".OBJ") {
    measured.bodies.push_back(measure_mesh(options.file, options.scale));
    if (!options.body.empty() && options.body != measured.bodies[0].name) {
      throw InputError(
          fmt::format("--body: {}", say_unknown(options.body, {measured.bodies[0].name})));
    }
  } else {
    InputFile file = InputFile::load(find_input(options.file));
    expect_input_for({"mass", "simulate", "probe"}, file);
    apply_settings(options.settings, &file);
    if (is_scene(file)) {
      const Model model = read_model(file);
      measure_bodies(model.bodies, *model.places, options.body, &measured);
    } else {
      const Case model = read_case(file);
      measure_bodies(model.bodies, *model.places, options.body, &measured);
    }
  }
  if (measured.bodies.empty()) {
    throw InputError(fmt::format("{}: no body has a mass that follows from its shapes:\n  {}",
                                 options.file, fmt::join(measured.left_out, "\n  ")));
  }
  return measured;
}

Json as_json(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }
Json as_json(const Mat3d& m) {
  return {as_json(Vec3d(m.row(0))), as_json(Vec3d(m.row(1))), as_json(Vec3d(m.row(2)))};
}

std::string as_yaml(const Vec3d& v) {
  return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

// Moments that are zero but for rounding are written as zero.
Mat3d clean(Mat3d I) {
  const double rounding = 1e-12 * I.trace();
  for (int k = 0; k < 9; ++k) {
    if (std::abs(I(k / 3, k % 3)) < rounding) I(k / 3, k % 3) = 0;
  }
  return I;
}

// Likewise, beside the size of the body.
Vec3d clean_center(const UniformMass<double>& solid) {
  const double rounding = 1e-12 * std::cbrt(solid.volume);
  return solid.center.unaryExpr([=](double x) { return std::abs(x) < rounding ? 0.0 : x; });
}

struct MassRow {
  double mass = 0, density = 0;
  Mat3d I = Mat3d::Zero();
  PrincipalAxes axes;
};

MassRow calc_row(const BodyMass& body, const MassOptions& options) {
  MassRow row;
  if (!options.density.empty()) {
    row.density = read_option(options.density, dimension::kDensity, "--density");
    row.mass = row.density * body.solid.volume;
  } else {
    row.mass = !options.mass.empty() ? read_option(options.mass, dimension::kMass, "--mass")
               : body.given          ? *body.given
                                     : kWater * body.solid.volume;
    row.density = row.mass / body.solid.volume;
  }
  row.I = clean(body.solid.I * row.density);
  row.axes = calc_principal_axes(Symmetric3<double>::from_matrix(row.I));
  return row;
}

void print_body(const BodyMass& body, const MassRow& row) {
  const Vec3d c = 1e3 * clean_center(body.solid);
  fmt::print("{}\n", body.name);
  fmt::print("  {:<26}{:>12.6g} cm^3\n", "volume", 1e6 * body.solid.volume);
  fmt::print("  {:<26}{:>12.6g} kg\n", "mass", row.mass);
  fmt::print("  {:<26}{:>12.6g} kg/m^3\n", "density", row.density);
  fmt::print("  {:<26}{:>12.6g}{:>14.6g}{:>14.6g} mm\n", "mass centre", c.x() + 0.0, c.y() + 0.0,
             c.z() + 0.0);
  for (int r = 0; r < 3; ++r) {
    fmt::print("  {:<26}{:>12.6g}{:>14.6g}{:>14.6g} kg m^2\n", r == 0 ? "inertia about it" : "",
               row.I(r, 0) + 0.0, row.I(r, 1) + 0.0, row.I(r, 2) + 0.0);
  }
  const Vec3d m = row.axes.moments;
  fmt::print("  {:<26}{:>12.6g}{:>14.6g}{:>14.6g} kg m^2\n", "principal moments", m.x(), m.y(),
             m.z());
  const bool is_diagonal = row.I.isDiagonal(0.0);
  fmt::print("  in a scene                mass: {:.9g}, inertia: {}\n", row.mass,
             is_diagonal ? as_yaml(row.I.diagonal())
                         : fmt::format("[{}, {}, {}]", as_yaml(row.I.row(0)), as_yaml(row.I.row(1)),
                                       as_yaml(row.I.row(2))));
  if (clean_center(body.solid).isZero(0.0)) return;
  fmt::print("  a body's origin is its mass centre; there the shapes stand at\n");
  for (size_t k = 0; k < body.shapes.size(); ++k) {
    fmt::print("  {:<26}position: {}\n", fmt::format("shape {}", k),
               as_yaml(body.shapes[k].p_WB - clean_center(body.solid)));
  }
}

Json make_json(const BodyMass& body, const MassRow& row) {
  return {{"body", body.name},
          {"volume", body.solid.volume},
          {"mass", row.mass},
          {"density", row.density},
          {"center", as_json(clean_center(body.solid))},
          {"inertia", as_json(row.I)},
          {"principal_moments", as_json(row.axes.moments)},
          {"principal_axes", as_json(Mat3d(row.axes.R_SP))}};
}

void run_mass(const MassOptions& options, const Common& common) {
  const Measured measured = measure(options);
  Json json = Json::array();
  bool is_first = true, assumed = false;
  for (const BodyMass& body : measured.bodies) {
    const MassRow row = calc_row(body, options);
    assumed = assumed || (options.density.empty() && options.mass.empty() && !body.given);
    if (common.json) {
      json.push_back(make_json(body, row));
      continue;
    }
    if (!is_first) fmt::print("\n");
    is_first = false;
    print_body(body, row);
  }
  if (common.json) print_json(json);
  for (const std::string& why : measured.noted) {
    if (!common.quiet) say("note: left out: {}\n", why);
  }
  if (assumed && !common.quiet) {
    say("note: no mass is given; that of water is assumed, {:g} kg/m^3 (--density, --mass)\n",
        kWater);
  }
}

}  // namespace

void add_mass(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "mass",
                                "Volume, mass centre and inertia of bodies from their shapes");
  auto options = std::make_shared<MassOptions>();
  command
      .option("FILE", &options->file,
              "a scene or case (YAML, or a name from `vesica list`), or a closed mesh (STL, OBJ)")
      .type_name("")
      .required();
  command.option("--body", &options->body, "only this body").type_name("NAME");
  const Option density =
      command.option("--density", &options->density, "of all bodies, '1100 kg/m^3'");
  command.option("--mass", &options->mass, "of each body, instead of what the file says")
      .excludes(density);
  command.option("--scale", &options->scale, "of a mesh file: 0.001 where it is in millimetres")
      .positive();
  command.option("--set", &options->settings,
                 "change a number of the file, for instance bodies.ball.mass=2 (repeatable)");
  command.run([&common, options, command] {
    const bool is_mesh =
        !options->file.ends_with(".yaml") && std::filesystem::path(options->file).has_extension();
    if (!is_mesh) command.refuse({"--scale"}, "is for a mesh file; a scene has 'scale' of a mesh");
    if (is_mesh) command.refuse({"--set"}, "is for a YAML file");
    run_mass(*options, common);
  });
}

}  // namespace vesica::app
