#include "vesica/markers/joint_meaning.h"

#include <cctype>
#include <utility>

namespace vesica::markers {
namespace {

constexpr MeaningRow kMeanings[] = {
    {JointMeaning::kOther, "other", {"flexion", "adduction", "rotation"}},
    {JointMeaning::kHip, "hip", {"flexion", "adduction", "rotation"}},
    {JointMeaning::kKnee, "knee", {"flexion", "adduction", "rotation"}, -1},
    {JointMeaning::kAnkle, "ankle", {"dorsiflexion", "inversion", "rotation"}},
    {JointMeaning::kSubtalar, "subtalar", {"dorsiflexion", "inversion", "rotation"}},
    {JointMeaning::kMidfoot, "midfoot", {"dorsiflexion", "supination", "adduction"}},
    {JointMeaning::kToe, "toe", {"dorsiflexion", "supination", "adduction"}},
    {JointMeaning::kShoulder, "shoulder", {"flexion", "adduction", "rotation"}},
    {JointMeaning::kElbow, "elbow", {"flexion", "adduction", "pronation"}},
    {JointMeaning::kWrist, "wrist", {"flexion", "adduction", "rotation"}},
    // The child is above: forward is flexion; to the right, to the left.
    {JointMeaning::kTrunk, "trunk", {"flexion", "bending", "rotation"}, -1, false},
};

struct Word {
  std::string_view word;
  JointMeaning meaning;
};
// Longer words before those that they contain.
constexpr Word kWords[] = {
    {"hip", JointMeaning::kHip},           {"coxa", JointMeaning::kHip},
    {"knee", JointMeaning::kKnee},         {"tibiofemoral", JointMeaning::kKnee},
    {"ankle", JointMeaning::kAnkle},       {"talocrural", JointMeaning::kAnkle},
    {"tibiotalar", JointMeaning::kAnkle},  {"subtalar", JointMeaning::kSubtalar},
    {"midfoot", JointMeaning::kMidfoot},   {"midtarsal", JointMeaning::kMidfoot},
    {"chopart", JointMeaning::kMidfoot},   {"mtp", JointMeaning::kToe},
    {"hallux", JointMeaning::kToe},        {"toe", JointMeaning::kToe},
    {"shoulder", JointMeaning::kShoulder}, {"elbow", JointMeaning::kElbow},
    {"wrist", JointMeaning::kWrist},       {"lumbar", JointMeaning::kTrunk},
    {"trunk", JointMeaning::kTrunk},       {"spine", JointMeaning::kTrunk},
    {"thorax", JointMeaning::kTrunk},      {"neck", JointMeaning::kTrunk},
};

std::string as_lower(const std::string& text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool is_separator(char c) { return c == '_' || c == '.' || c == '-' || c == ' '; }

}  // namespace

const MeaningRow& row_of(JointMeaning meaning) { return kMeanings[static_cast<int>(meaning)]; }
std::span<const MeaningRow> meaning_rows() { return kMeanings; }

std::array<double, 3> calc_angle_signs(JointMeaning meaning, Side side) {
  const double mirror = side == Side::kLeft && row_of(meaning).has_side ? -1 : 1;
  return {row_of(meaning).sign_z, mirror, mirror};
}

ReadName read_side(const std::string& name) {
  const std::string lower = as_lower(name);
  for (const auto& [word, side, needs_separator] :
       {std::tuple{"left", Side::kLeft, false}, std::tuple{"right", Side::kRight, false},
        std::tuple{"l", Side::kLeft, true}, std::tuple{"r", Side::kRight, true}}) {
    const std::string_view w = word;
    if (lower.size() < w.size() + 2) continue;
    if (lower.ends_with(w)) {
      const size_t rest = lower.size() - w.size();
      const bool separated = is_separator(lower[rest - 1]);
      if (separated || !needs_separator) return {name.substr(0, rest - (separated ? 1 : 0)), side};
    }
    if (lower.starts_with(w)) {
      const bool separated = is_separator(lower[w.size()]);
      if (separated || !needs_separator) return {name.substr(w.size() + (separated ? 1 : 0)), side};
    }
  }
  return {name, Side::kNone};
}

std::optional<JointMeaning> find_meaning(const std::string& name) {
  const std::string lower = as_lower(name);
  for (const Word& word : kWords) {
    if (lower.find(word.word) != std::string::npos) return word.meaning;
  }
  return std::nullopt;
}

const char* suffix_of(Side side) {
  return side == Side::kLeft ? "_l" : side == Side::kRight ? "_r" : "";
}
const char* name_of(Side side) {
  return side == Side::kLeft ? "left" : side == Side::kRight ? "right" : "none";
}

}  // namespace vesica::markers
