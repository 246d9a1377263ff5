#include "vesica/biomechanics/knee_strands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vesica/io/text_input.h"

namespace vesica::biomechanics {
namespace {

constexpr std::array kColumns = {"name",
                                 "linear_stiffness_N_per_strain",
                                 "slack_length_m",
                                 "origin_frame",
                                 "ox_m",
                                 "oy_m",
                                 "oz_m",
                                 "insertion_frame",
                                 "ix_m",
                                 "iy_m",
                                 "iz_m"};
enum Column { kName, kStiffness, kSlack, kOrigin, kOx, kOy, kOz, kInsertion, kIx, kIy, kIz };

std::array<size_t, kColumns.size()> find_columns(const LineReader& reader,
                                                 const std::vector<std::string_view>& heading) {
  std::array<size_t, kColumns.size()> places{};
  for (size_t c = 0; c < kColumns.size(); ++c) {
    const auto found = std::find(heading.begin(), heading.end(), kColumns[c]);
    if (found == heading.end()) {
      reader.fail(fmt::format("a table of ligament strands needs the column '{}'", kColumns[c]));
    }
    places[c] = static_cast<size_t>(found - heading.begin());
  }
  return places;
}

// x anterior, y superior, z right to x right, y anterior, z proximal.
Vec3d from_opensim(const Vec3d& p) { return {p.z(), p.x(), p.y()}; }

std::string_view last_part(std::string_view frame) { return frame.substr(frame.rfind('/') + 1); }

}  // namespace

KneeStrands load_knee_strands(const std::string& path, double tibia_origin) {
  std::ifstream stream = open_input(path);
  LineReader reader(stream, path);
  std::string_view line;
  std::vector<std::string_view> fields;
  if (!reader.next(&line)) reader.fail("the file is empty; expected a table of ligament strands");
  split_at(line, ',', &fields);
  const auto places = find_columns(reader, fields);
  KneeStrands strands;
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    split_at(line, ',', &fields);
    const auto text = [&](Column c) -> std::string_view {
      if (places[c] < fields.size()) return fields[places[c]];
      reader.fail(fmt::format("the row ends before its column '{}'", kColumns[c]));
    };
    const auto number = [&](Column c) {
      const auto x = parse_number(text(c));
      if (!x)
        reader.fail(fmt::format("{}: expected a number, found {}", kColumns[c], quote(text(c))));
      return *x;
    };
    KneeLigament strand;
    strand.name = std::string(text(kName));
    if (strand.name.empty()) reader.fail("a strand needs a name");
    if (last_part(text(kOrigin)).rfind("femur", 0) != 0 ||
        last_part(text(kInsertion)).rfind("tibia", 0) != 0) {
      strands.left_out.push_back(strand.name);
      continue;
    }
    strand.slack_length = number(kSlack);
    const double per_strain = number(kStiffness);
    if (!(strand.slack_length > 0) || !(per_strain > 0)) {
      reader.fail(fmt::format("{}: stiffness and slack length are greater than zero", strand.name));
    }
    strand.stiffness = per_strain / strand.slack_length;
    strand.femur = from_opensim({number(kOx), number(kOy), number(kOz)});
    strand.tibia =
        from_opensim({number(kIx), number(kIy), number(kIz)}) + Vec3d(0, 0, tibia_origin);
    strands.ligaments.push_back(strand);
  }
  if (strands.ligaments.empty()) reader.fail("no strand runs from the femur to the tibia");
  return strands;
}

KneeOptions make_strand_options(const std::string& path) {
  // Spheres through the medial and lateral cartilage of the femur (x < 12 mm, |z| > 12 mm of a
  // healthy knee in OpenSim's axes): rms 0.9 mm. Planes through the top of its tibial cartilage
  // rise forward by these slopes; they are laid below the spheres.
  constexpr double kTibiaOrigin = 0.2357, kSlopes[] = {0.1236, 0.1394};
  KneeOptions options;
  options.ligaments = load_knee_strands(path, kTibiaOrigin).ligaments;
  options.condyles = {Condyle{{-0.0203, 0.0015, 0.0006}, Vec3d::Constant(0.0229)},
                      Condyle{{0.0216, -0.0007, 0.0005}, Vec3d::Constant(0.0218)}};
  for (size_t k = 0; k < 2; ++k) {
    const Vec3d normal = Vec3d(0, -kSlopes[k], 1).normalized();
    options.plateaus[k].normal = normal;
    options.plateaus[k].point = options.condyles[k].center -
                                options.condyles[k].radii.x() * normal + Vec3d(0, 0, kTibiaOrigin);
  }
  options.start = Vec3d(0, 0, -kTibiaOrigin);
  return options;
}

}  // namespace vesica::biomechanics
