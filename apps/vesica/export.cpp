// Meshes of the bodies of a scene, for programs that show them. docs/howto/export.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/gltf.h"
#include "vesica/io/output_file.h"
#include "vesica/io/stl.h"
#include "vesica/report/body_meshes.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats = {"glb", "gltf", "stl"};

// Linear red, green, blue of bodies that move, in turn; what is fixed is grey.
constexpr std::array<std::array<double, 4>, 6> kColors = {{{0.10, 0.30, 0.65, 1},
                                                           {0.75, 0.22, 0.05, 1},
                                                           {0.10, 0.45, 0.15, 1},
                                                           {0.55, 0.40, 0.02, 1},
                                                           {0.35, 0.12, 0.50, 1},
                                                           {0.02, 0.42, 0.45, 1}}};
constexpr std::array<double, 4> kFixedColor = {0.55, 0.55, 0.55, 1};

struct ExportOptions {
  std::string input;
  std::vector<std::string> settings;
  std::string format;
  std::string body;
  std::optional<double> time;
  int cells = 64;
};

// As given, or by the name of the file.
std::string choose_format(const std::string& given, const std::string& out) {
  if (!given.empty()) return given;
  std::string extension = fs::path(out).extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  if (std::find(kFormats.begin(), kFormats.end(), extension) == kFormats.end()) {
    throw InputError(fmt::format(
        "--out {}: which format is that? The name must end in .glb, .gltf or .stl, or give "
        "--format",
        out));
  }
  return extension;
}

// Where bodies stand: at the start of a file or of a run, or at a recorded time of a run, which
// becomes that of the row.
std::vector<ShownBody> place_bodies(ExportOptions* options, bool quiet) {
  std::error_code code;
  if (!fs::is_directory(options->input, code)) {
    if (options->time) {
      throw InputError(fmt::format(
          "--time: {} is no run folder; simulate it first (vesica simulate {} --out RUN), then "
          "vesica export RUN --time {}",
          options->input, options->input, *options->time));
    }
    InputFile file = InputFile::load(find_input(options->input));
    expect_input_for({"export", "simulate", "probe"}, file);
    apply_settings(options->settings, &file);
    return list_bodies(file);
  }
  if (!options->settings.empty()) {
    throw InputError(fmt::format(
        "--set: {} is a run, which has happened; give --set to vesica simulate", options->input));
  }
  const RunFolder run = load_run_folder(options->input);
  if (!quiet) say("{}", explain_partial(options->input, run.folder));
  std::vector<ShownBody> bodies = list_bodies(run.scene);
  if (options->time) options->time = move_to_recorded(run, *options->time, &bodies);
  return bodies;
}

// Leaves that body alone, in its own frame.
void keep_one(const std::string& name, std::vector<ShownBody>* bodies) {
  std::string names;
  for (ShownBody& body : *bodies) {
    if (body.name == name) {
      ShownBody one = std::move(body);
      one.X_WB = {};
      bodies->assign(1, std::move(one));
      return;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", body.name);
  }
  throw InputError(fmt::format("--body {}: there is no such body; there are: {}", name, names));
}

std::string as_base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t k = 0; k < bytes.size(); k += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - k);
    std::uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    }
    for (size_t i = 0; i < 4; ++i) {
      text.push_back(i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=');
    }
  }
  return text;
}

// The same as text, its buffer embedded: header (12 bytes), then chunks of length, type, content;
// first the JSON, then the buffer.
std::string as_gltf(const std::string& glb) {
  auto length_at = [&](size_t at) {
    std::uint32_t length = 0;
    for (size_t k = 0; k < 4; ++k) {
      length |= static_cast<std::uint32_t>(static_cast<unsigned char>(glb[at + k])) << (8 * k);
    }
    return length;
  };
  const std::string_view all = glb;
  const size_t json_length = length_at(12), buffer = 20 + json_length;
  auto document = nlohmann::ordered_json::parse(all.substr(20, json_length));
  document["buffers"][0]["uri"] = "data:application/octet-stream;base64," +
                                  as_base64(all.substr(buffer + 8, length_at(buffer)));
  return document.dump(1) + "\n";
}

std::string make_file(const std::vector<ShownBody>& bodies, const std::string& format) {
  if (format == "stl") {
    SurfaceMesh all;
    for (const ShownBody& body : bodies) append_mesh(body.mesh, body.X_WB, &all);
    return make_stl(all);
  }
  std::vector<GltfPart> parts;
  size_t moving = 0;
  for (const ShownBody& body : bodies) {
    const auto& color = body.is_fixed ? kFixedColor : kColors[moving++ % kColors.size()];
    parts.push_back({body.name, body.mesh, body.X_WB, color});
  }
  const std::string glb = make_glb(parts);
  return format == "gltf" ? as_gltf(glb) : glb;
}

void run_export(ExportOptions options, const Common& common) {
  const std::string format = choose_format(options.format, common.out);
  std::vector<ShownBody> bodies = place_bodies(&options, common.quiet);
  try_file(common.out);
  mesh_bodies(options.cells, &bodies);
  if (!options.body.empty()) keep_one(options.body, &bodies);
  std::vector<std::string> notes;
  for (const ShownBody& body : bodies) {
    notes.insert(notes.end(), body.notes.begin(), body.notes.end());
  }
  std::erase_if(bodies, [](const ShownBody& body) { return body.mesh.triangles.empty(); });
  if (bodies.empty()) {
    throw InputError(fmt::format(
        "{}: nothing to export; {} no shape with a volume", options.input,
        options.body.empty() ? "its bodies have" : fmt::format("body '{}' has", options.body)));
  }
  const std::string bytes = make_file(bodies, format);
  save_text(common.out, bytes);

  nlohmann::ordered_json json = {{"file", common.out}, {"format", format}};
  if (options.time) json["time"] = *options.time;
  json["bodies"] = nlohmann::ordered_json::array();
  for (const ShownBody& body : bodies) {
    json["bodies"].push_back({{"name", body.name}, {"triangles", body.mesh.triangles.size()}});
  }
  json["bytes"] = bytes.size();
  json["notes"] = notes;
  if (common.json) {
    print_json(json);
    return;
  }
  if (common.quiet) return;
  for (const std::string& note : notes) say("note: {}\n", note);
  for (const ShownBody& body : bodies) {
    fmt::print("  {:<24}{:>10} triangles\n", body.name, body.mesh.triangles.size());
  }
  if (options.time) fmt::print("  as recorded at {:.6g} s\n", *options.time);
  fmt::print("wrote {} ({} bytes)\n", common.out, bytes.size());
}

}  // namespace

void add_export(CommandLine& line, Common& common) {
  Command command =
      add_command(line, common, "export", "Meshes of a scene's bodies: glTF or STL, for viewing");
  auto options = std::make_shared<ExportOptions>();
  command
      .option("FILE", &options->input,
              "a scene or case (YAML, or a name from `vesica list`), or the folder of a run")
      .type_name("")
      .required();
  command.option("--out", &common.out, "the file that is written: NAME.glb, NAME.gltf or NAME.stl")
      .type_name("FILE")
      .required();
  command.option("--set", &options->settings,
                 "change a number of the file, for instance bodies.ball.mass=2 (repeatable)");
  command
      .option("--format", &options->format,
              "glb, gltf (as text) or stl; without, by the name of the file")
      .one_of(kFormats);
  command.option("--body", &options->body, "only this body, in its own frame").type_name("NAME");
  command
      .option("--time", &options->time,
              "of a run: bodies as recorded nearest to this time [s]; without, at the start")
      .type_name("T");
  command
      .option("--cells", &options->cells,
              "segments around a ball; grid along the longest side of other curved solids")
      .range(4, 512)
      .type_name("N")
      .show_default();
  command.run([&common, options] { run_export(*options, common); });
}

}  // namespace vesica::app
