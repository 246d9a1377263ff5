#include "vesica/io/gltf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "vesica/error.h"
#include "vesica/io/binary_output.h"
#include "vesica/io/output_file.h"

namespace vesica {

namespace {

using Json = nlohmann::json;

// Codes of the format.
constexpr int kFloat = 5126, kUnsigned = 5125;
constexpr int kVertexBuffer = 34962, kIndexBuffer = 34963;
constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

using detail::append_32;
using detail::as_single;

// A binary buffer with its views and accessors.
class Buffer {
 public:
  int add_vectors(const std::vector<Vec3d>& vectors, const std::string& what, bool with_range) {
    const std::size_t begin = bytes_.size();
    std::array<float, 3> low, high;
    low.fill(std::numeric_limits<float>::max());
    high.fill(std::numeric_limits<float>::lowest());
    for (const Vec3d& x : vectors) {
      for (int k = 0; k < 3; ++k) {
        const float f = as_single(x[k], what);
        low[k] = std::min(low[k], f);
        high[k] = std::max(high[k], f);
        append_32(std::bit_cast<std::uint32_t>(f), &bytes_);
      }
    }
    Json accessor = {{"componentType", kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
    if (with_range) accessor["min"] = low, accessor["max"] = high;
    return add(begin, kVertexBuffer, std::move(accessor));
  }
  int add_indices(const std::vector<std::uint32_t>& indices) {
    const std::size_t begin = bytes_.size();
    for (const std::uint32_t k : indices) append_32(k, &bytes_);
    return add(begin, kIndexBuffer,
               {{"componentType", kUnsigned}, {"count", indices.size()}, {"type", "SCALAR"}});
  }

  const std::string& bytes() const { return bytes_; }
  Json views = Json::array(), accessors = Json::array();

 private:
  int add(std::size_t begin, int target, Json accessor) {
    views.push_back({{"buffer", 0},
                     {"byteOffset", begin},
                     {"byteLength", bytes_.size() - begin},
                     {"target", target}});
    accessor["bufferView"] = views.size() - 1;
    accessors.push_back(std::move(accessor));
    return static_cast<int>(accessors.size()) - 1;
  }
  std::string bytes_;
};

std::string what_of(const GltfPart& part) { return fmt::format("glTF part '{}'", part.name); }

// Three vertices of its own for every triangle, with the triangle's normal.
void make_flat(const SurfaceMesh& mesh, std::vector<Vec3d>* vertices, std::vector<Vec3d>* normals,
               std::vector<std::uint32_t>* indices) {
  for (const auto& t : mesh.triangles) {
    const Vec3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const Vec3d area = (b - a).cross(c - a);
    if (area.norm() == 0) continue;  // no normal, nothing to see
    const Vec3d normal = area.normalized();
    for (const Vec3d& x : {a, b, c}) {
      indices->push_back(static_cast<std::uint32_t>(vertices->size()));
      vertices->push_back(x);
      normals->push_back(normal);
    }
  }
}

Json make_primitive(const GltfPart& part, int material, Buffer* buffer) {
  std::vector<Vec3d> vertices, normals;
  std::vector<std::uint32_t> indices;
  if (part.mesh.normals.size() == part.mesh.vertices.size()) {
    vertices = part.mesh.vertices;
    normals = part.mesh.normals;
    for (const auto& t : part.mesh.triangles) {
      for (const std::int32_t v : t) indices.push_back(static_cast<std::uint32_t>(v));
    }
  } else {
    make_flat(part.mesh, &vertices, &normals, &indices);
  }
  if (indices.empty()) {
    throw InputError(fmt::format("{}: no triangle with an area", what_of(part)));
  }
  return {{"attributes",
           {{"POSITION", buffer->add_vectors(vertices, what_of(part), true)},
            {"NORMAL", buffer->add_vectors(normals, what_of(part), false)}}},
          {"indices", buffer->add_indices(indices)},
          {"material", material}};
}

Json make_node(const GltfPart& part, std::size_t mesh) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(part.X_WB.R_WB).normalized();
  const Vec3d& p = part.X_WB.p_WB;
  if (!p.allFinite() || !q.coeffs().allFinite()) {
    throw InputError(fmt::format("{}: its pose is not finite", what_of(part)));
  }
  return {{"name", part.name},
          {"mesh", mesh},
          {"translation", {p.x(), p.y(), p.z()}},
          {"rotation", {q.x(), q.y(), q.z(), q.w()}}};
}

}  // namespace

std::string make_glb(std::span<const GltfPart> parts) {
  if (parts.empty()) throw InputError("glTF: no parts to write; expected at least one mesh");
  Buffer buffer;
  const double half = std::sqrt(0.5);
  Json root = {
      {"name", "z up"}, {"rotation", {-half, 0.0, 0.0, half}}, {"children", Json::array()}};
  Json nodes = Json::array(), meshes = Json::array(), materials = Json::array();
  nodes.push_back(nullptr);  // the root, when its children are known
  for (const GltfPart& part : parts) {
    detail::check_indices(part.mesh, what_of(part));
    const int material = static_cast<int>(materials.size());
    Json look = {
        {"pbrMetallicRoughness",
         {{"baseColorFactor", part.color}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}}}};
    if (part.color[3] < 1) look["alphaMode"] = "BLEND";
    materials.push_back(std::move(look));
    root["children"].push_back(nodes.size());
    nodes.push_back(make_node(part, meshes.size()));
    meshes.push_back({{"name", part.name},
                      {"primitives", Json::array({make_primitive(part, material, &buffer)})}});
  }
  nodes[0] = std::move(root);
  const Json document = {{"asset", {{"version", "2.0"}, {"generator", "Vesica"}}},
                         {"scene", 0},
                         {"scenes", Json::array({{{"nodes", {0}}}})},
                         {"nodes", nodes},
                         {"meshes", meshes},
                         {"materials", materials},
                         {"accessors", buffer.accessors},
                         {"bufferViews", buffer.views},
                         {"buffers", Json::array({{{"byteLength", buffer.bytes().size()}}})}};
  // A part's name may hold any bytes; what is not UTF-8 is replaced.
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::size_t total = 12 + 8 + text.size() + 8 + buffer.bytes().size();
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(fmt::format("glTF: {} bytes; a .glb file holds at most 4 GB", total));
  }
  std::string glb;
  glb.reserve(total);
  append_32(kMagic, &glb);
  append_32(2, &glb);
  append_32(static_cast<std::uint32_t>(total), &glb);
  append_32(static_cast<std::uint32_t>(text.size()), &glb);
  append_32(kJsonChunk, &glb);
  glb += text;
  append_32(static_cast<std::uint32_t>(buffer.bytes().size()), &glb);
  append_32(kBinaryChunk, &glb);
  glb += buffer.bytes();
  return glb;
}

void save_glb(const std::string& path, std::span<const GltfPart> parts) {
  save_text(path, make_glb(parts));
}

}  // namespace vesica
