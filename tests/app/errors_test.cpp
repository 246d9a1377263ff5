// What the tool says to bad input: exit status 2 (3 where a file is not there), the file, the line
// and the key in the message, nothing on standard output, nothing written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::test::errors_test {
namespace {

// Lines of CaseText::text().
constexpr int kShapeLine = 4, kPoseLine = 5, kVelocityLine = 6, kNormalLine = 10,
              kFrictionLine = 11;

struct Bad {
  const char* what;
  void (*change)(CaseText*);
  int line;
  const char* key;      // its path in the message
  const char* message;  // part of what must be said
};

const Bad kBad[] = {
    {"unknown key", [](CaseText* c) { c->normal = "{law: volumetric, stifness: 1e7}"; },
     kNormalLine, "contact.normal", "did you mean 'stiffness'"},
    {"unknown law", [](CaseText* c) { c->normal = "{law: volumetrik, stiffness: 1e7}"; },
     kNormalLine, "contact.normal.law", "did you mean 'volumetric'"},
    {"unknown shape", [](CaseText* c) { c->shape_i = "{type: elipsoid, radii: [1, 1, 1]}"; },
     kShapeLine, "bodies.i.shape.type", "did you mean 'ellipsoid'"},
    {"missing key", [](CaseText* c) { c->normal = "{law: volumetric}"; }, kNormalLine,
     "contact.normal", "'stiffness' is missing"},
    {"repeated key",
     [](CaseText* c) { c->normal = "{law: volumetric, stiffness: 1e7, stiffness: 2e7}"; },
     kNormalLine, "contact.normal", "twice"},
    {"word for a number", [](CaseText* c) { c->normal = "{law: volumetric, stiffness: stiff}"; },
     kNormalLine, "contact.normal.stiffness", "expected a number"},
    {"list for a number",
     [](CaseText* c) { c->normal = "{law: volumetric, stiffness: [1, 2, 3]}"; }, kNormalLine,
     "contact.normal.stiffness", "list of 2"},
    {"number for a list", [](CaseText* c) { c->shape_i = "{type: ellipsoid, radii: 0.03}"; },
     kShapeLine, "bodies.i.shape.radii", "expected a list"},
    {"two radii", [](CaseText* c) { c->shape_i = "{type: ellipsoid, radii: [0.03, 0.03]}"; },
     kShapeLine, "bodies.i.shape.radii", "list of 3"},
    {"word for a mapping", [](CaseText* c) { c->shape_i = "ellipsoid"; }, kShapeLine,
     "bodies.i.shape", "mapping"},
    {"wrong dimension", [](CaseText* c) { c->normal = "{law: volumetric, stiffness: 1.6e7 N/m}"; },
     kNormalLine, "contact.normal.stiffness", "N/m^3"},
    {"no unit", [](CaseText* c) { c->shape_i = "{type: sphere, radius: 3 furlongs}"; }, kShapeLine,
     "bodies.i.shape.radius", "not a unit"},
    {"NaN", [](CaseText* c) { c->normal = "{law: volumetric, stiffness: nan}"; }, kNormalLine,
     "contact.normal.stiffness", "nan"},
    {"YAML's NaN", [](CaseText* c) { c->pose_i = "{position: [0, 0, .nan]}"; }, kPoseLine,
     "bodies.i.pose.position.2", "number"},
    {"infinity", [](CaseText* c) { c->velocity_i = "{linear: [0, inf, 0]}"; }, kVelocityLine,
     "bodies.i.velocity.linear.1", "inf"},
    {"out of range", [](CaseText* c) { c->normal = "{law: volumetric, stiffness: 1e999}"; },
     kNormalLine, "contact.normal.stiffness", "1e999"},
    {"negative stiffness", [](CaseText* c) { c->normal = "{law: volumetric, stiffness: -1e7}"; },
     kNormalLine, "contact.normal.stiffness", "greater than zero"},
    {"negative damping",
     [](CaseText* c) { c->normal = "{law: volumetric, stiffness: 1e7, damping: -0.565}"; },
     kNormalLine, "contact.normal.damping", "negative"},
    {"zero radius", [](CaseText* c) { c->shape_i = "{type: ellipsoid, radii: [0.03, 0, 0.03]}"; },
     kShapeLine, "bodies.i.shape.radii.1", "greater than zero"},
    {"quaternion not of unit length",
     [](CaseText* c) { c->pose_i = "{position: [0, 0, 0.018], quaternion: [1, 0, 1, 0]}"; },
     kPoseLine, "bodies.i.pose.quaternion", "scaled to unit length"},
    {"zero quaternion",
     [](CaseText* c) { c->pose_i = "{position: [0, 0, 0.018], quaternion: [0, 0, 0, 0]}"; },
     kPoseLine, "bodies.i.pose.quaternion", "cannot be zero"},
    {"zero axis",
     [](CaseText* c) { c->pose_i = "{position: [0, 0, 0.018], axis: [0, 0, 0], angle: 1}"; },
     kPoseLine, "bodies.i.pose.axis", "cannot be zero"},
    {"axis and quaternion",
     [](CaseText* c) {
       c->pose_i = "{position: [0, 0, 0.018], axis: [1, 0, 0], angle: 1, quaternion: [1, 0, 0, 0]}";
     },
     kPoseLine, "bodies.i.pose", "quaternion"},
    {"damping and restitution",
     [](CaseText* c) {
       c->normal = "{law: volumetric, stiffness: 1e7, damping: 1, restitution: 0.5, v_small: 0.1}";
     },
     kNormalLine, "contact.normal.damping", "not both"},
    {"restitution of zero",
     [](CaseText* c) {
       c->normal = "{law: volumetric, stiffness: 1e7, restitution: 0, v_small: 0.1}";
     },
     kNormalLine, "contact.normal.restitution", "greater than 0"},
    {"restitution above one",
     [](CaseText* c) {
       c->normal = "{law: volumetric, stiffness: 1e7, restitution: 1.2, v_small: 0.1}";
     },
     kNormalLine, "contact.normal.restitution", "at most 1"},
    {"static below dynamic friction",
     [](CaseText* c) { c->friction = "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.7, v_t: 0.05}"; },
     kFrictionLine, "contact.friction.mu_s", "below mu_d"},
    {"zero transition speed",
     [](CaseText* c) { c->friction = "{law: brown_mcphee, mu_s: 0.9, mu_d: 0.7, v_t: 0}"; },
     kFrictionLine, "contact.friction.v_t", "greater than zero"},
    {"mu_v without f_nt",
     [](CaseText* c) {
       c->friction = "{law: brown_mcphee, mu_s: 0.9, mu_d: 0.7, v_t: 0.05, mu_v: 1}";
     },
     kFrictionLine, "contact.friction", "'f_nt' is missing"},
    {"oblique inertia of a sphere",
     [](CaseText* c) {
       c->shape_i = "{type: sphere, radius: 0.03}";
       c->more = "  interference: {inertia: oblique}\n";
     },
     kFrictionLine + 1, "contact.interference.inertia", "ellipsoid"},
    {"method that does not fit", [](CaseText* c) { c->more = "  interference: {method: mesh}\n"; },
     kFrictionLine + 1, "contact.interference.method", "closed_form"},
    {"voxels without a size", [](CaseText* c) { c->more = "  interference: {method: voxels}\n"; },
     kFrictionLine + 1, "contact.interference", "(df/k)^(1/3)"},
    {"voxel size for another method",
     [](CaseText* c) { c->more = "  interference: {method: slices, voxel_size: 1 mm}\n"; },
     kFrictionLine + 1, "contact.interference.voxel_size", "method: voxels"},
    {"voxels larger than the body",
     [](CaseText* c) { c->more = "  interference: {method: voxels, voxel_size: 10 m}\n"; },
     kFrictionLine + 1, "contact.interference.voxel_size", "larger than"},
    {"flat box", [](CaseText* c) { c->shape_i = "{type: box, size: [1, 1, 0]}"; }, kShapeLine,
     "bodies.i.shape.size.2", "greater than zero"},
    {"hull of a plane",
     [](CaseText* c) {
       c->shape_i = "{type: convex, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}";
     },
     kShapeLine, "bodies.i.shape.vertices", "plane"},
    {"pair that cannot meet", [](CaseText* c) { c->shape_i = "{type: half_space}"; }, 10, "contact",
     "share no bounded volume"},
};

TEST(BadInput, EveryMistakeIsNamedWithFileLineAndKey) {
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(bad.what);
    const Workspace work;
    CaseText text;
    bad.change(&text);
    work.write("case.yaml", text.text());
    for (const char* command : {"probe case.yaml --pressure-map map.svg", "check case.yaml"}) {
      const Outcome outcome = work.run(command);
      EXPECT_EQ(outcome.status, 2) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      const std::string place = fmt::format("error: case.yaml:{}: {}:", bad.line, bad.key);
      EXPECT_TRUE(outcome.err.starts_with(place)) << outcome.err << "expected " << place;
      EXPECT_NE(outcome.err.find(bad.message), std::string::npos)
          << outcome.err << "expected to read: " << bad.message;
      EXPECT_EQ(work.files(), std::vector<std::string>{"case.yaml"});
    }
  }
}

struct BadFile {
  const char* what;
  const char* text;
  const char* place;
  const char* message;
};

TEST(BadInput, FilesThatAreNoCase) {
  const BadFile bad[] = {
      {"empty", "", "case.yaml:1:", "vesica: 1"},
      {"only a comment", "# nothing\n", "case.yaml:1:", "vesica: 1"},
      {"a list", "- 1\n- 2\n", "case.yaml:1:", "mapping"},
      {"prose", "once upon a time\n", "case.yaml:1:", "mapping"},
      {"broken YAML", "vesica: 1\nbodies: {i: [\n", "case.yaml:", "not valid YAML"},
      {"tab", "vesica: 1\nbodies:\n\ti: 1\n", "case.yaml:", "not valid YAML"},
      {"no version", "bodies: {}\n", "case.yaml:1:", "'vesica' is missing"},
      {"another version", "vesica: 2\n", "case.yaml:1: vesica:", "from 1 to 1"},
      {"no bodies", "vesica: 1\ncontact: {}\n", "case.yaml:1:", "'bodies' is missing"},
      {"no shape", "vesica: 1\nbodies:\n  i: {}\n  j: {}\ncontact: {}\n",
       "case.yaml:3: bodies.i:", "'shape' is missing"},
      {"a third body", "vesica: 1\nbodies:\n  i: {}\n  j: {}\n  k: {}\n",
       "case.yaml:5: bodies:", "unknown key 'k'"},
      {"Latin-1", "vesica: 1\ntitle: Fu\xdf\n", "case.yaml:2:", "UTF-8"},
      {"overlong", "vesica: 1\ntitle: \xc0\x80\n", "case.yaml:2:", "UTF-8"},
      {"binary",
       "\x7f"
       "ELF\x02\x01\x01",
       "case.yaml:", ""},
  };
  for (const BadFile& b : bad) {
    SCOPED_TRACE(b.what);
    const Workspace work;
    work.write("case.yaml", b.text);
    const Outcome outcome = work.run("probe case.yaml");
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with(std::string("error: ") + b.place)) << outcome.err;
    EXPECT_NE(outcome.err.find(b.message), std::string::npos) << outcome.err;
  }
}

TEST(BadInput, MeshesThatAreNoSolid) {
  struct BadMesh {
    const char *name, *content, *message;
  };
  const BadMesh bad[] = {
      {"open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "open"},
      {"inside_out.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
       "inside out"},
      {"nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "nan.obj:1"},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "index.obj:4"},
      {"empty.stl", "", "empty.stl"},
      {"picture.png", "\x89PNG", "picture.png"},
  };
  for (const BadMesh& b : bad) {
    SCOPED_TRACE(b.name);
    const Workspace work;
    work.write(b.name, b.content);
    CaseText text;
    text.shape_i = fmt::format("{{type: mesh, file: {}}}", b.name);
    work.write("case.yaml", text.text());
    const Outcome outcome = work.run("probe case.yaml");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("error: case.yaml:4: bodies.i.shape.file:")) << outcome.err;
    EXPECT_NE(outcome.err.find(b.message), std::string::npos) << outcome.err;
  }
  const Workspace work;
  CaseText text;
  text.shape_i = "{type: mesh, file: nowhere.stl}";
  work.write("case.yaml", text.text());
  const Outcome outcome = work.run("check case.yaml");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(outcome.err.starts_with("error: case.yaml:4: bodies.i.shape.file: nowhere.stl:"))
      << outcome.err;
}

TEST(BadInput, DeepNestingIsNoCrash) {
  const Workspace work;
  work.write("case.yaml", "vesica: 1\nbodies: " + std::string(100000, '[') + "\n");
  EXPECT_EQ(work.run("probe case.yaml").status, 2);
}

TEST(BadInput, FiguresThatOverflowAreNotPrinted) {
  const Workspace work;
  CaseText text;
  text.velocity_i = "{angular: [1e308, 0, 0]}";
  work.write("case.yaml", text.text());
  for (const char* command :
       {"probe case.yaml", "probe case.yaml --table --pressure-map map.svg"}) {
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("overflows"), std::string::npos) << outcome.err;
    EXPECT_EQ(work.files(), std::vector<std::string>{"case.yaml"});
  }
}

TEST(CommandLine, TextMayBeAnyUtf8) {
  const Workspace work;
  work.write("case.yaml", "title: Fußsohle 足\n" + CaseText().text());
  EXPECT_EQ(work.run("probe case.yaml").json()["title"], "Fußsohle 足");
}

TEST(BadInput, MissingFilesAndFolders) {
  const Workspace work;
  const Outcome missing = work.run("probe nowhere.yaml");
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.err.find("nowhere.yaml"), std::string::npos);
  EXPECT_NE(missing.err.find("vesica list"), std::string::npos);

  std::filesystem::create_directory(work.path("folder.yaml"));
  const Outcome folder = work.run("probe folder.yaml");
  EXPECT_EQ(folder.status, 3);
  EXPECT_NE(folder.err.find("is a folder"), std::string::npos) << folder.err;
}

TEST(BadInput, OptionsThatDoNotFit) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  const std::pair<const char*, const char*> bad[] = {
      {"probe case.yaml --pressure-map map.png", "map.png"},
      {"probe case.yaml --pressure-map map", "map"},
      {"probe case.yaml --cells 1", "--cells"},
      {"probe case.yaml --cells many", "--cells"},
      {"probe case.yaml --table --json", "--table"},
      {"probe case.yaml --derivativs", "--derivativs"},
      {"probe", "CASE"},
      {"prob case.yaml", "prob"},
  };
  for (const auto& [command, message] : bad) {
    SCOPED_TRACE(command);
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(work.files(), std::vector<std::string>{"case.yaml"});
  }
}

TEST(BadInput, OutputThatCannotBeWritten) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  std::filesystem::create_directory(work.path("map.svg"));  // a folder stands in the way
  const Outcome outcome = work.run("probe case.yaml --pressure-map map.svg");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("map.svg"), std::string::npos);
  EXPECT_EQ(work.files(), (std::vector<std::string>{"case.yaml", "map.svg"}));
}

TEST(CommandLine, WithoutArgumentsItShowsHelpAndFails) {
  const Workspace work;
  const Outcome outcome = work.run("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("vesica probe heel_on_ground"), std::string::npos) << outcome.err;
}

TEST(CommandLine, HelpAndVersion) {
  const Workspace work;
  for (const char* command : {"--help", "probe --help", "check --help", "list --help"}) {
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_NE(outcome.out.find("Usage"), std::string::npos) << command;
  }
  EXPECT_TRUE(work.run("--version").out.starts_with("vesica 0."));
}

TEST(CommandLine, ListNamesScenesThatCheckAccepts) {
  const Workspace work;
  const nlohmann::json list = work.run("list --json").json();
  ASSERT_FALSE(list.empty());
  bool heel = false;
  for (const auto& entry : list) {
    const std::string name = entry["name"];
    heel = heel || name == "heel_on_ground";
    EXPECT_FALSE(entry["title"].get<std::string>().empty()) << name;
    if (entry["command"] == "probe") {
      const Outcome outcome = work.run("check --json " + name);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_TRUE(outcome.json()["ok"]);
    } else if (entry["command"] == "identify") {
      const Outcome outcome = work.run("check --json " + name);
      if (outcome.status == 3 && !std::filesystem::exists(shared_data())) continue;
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.json()["kind"], "identify") << name;
    }
  }
  EXPECT_TRUE(heel);
}

TEST(CommandLine, OutNamesTheFolder) {
  const Workspace work;
  const Outcome outcome =
      work.run("probe heel_on_ground --pressure-map map.csv --cells 10 --out results");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(work.files(), (std::vector<std::string>{"results", "results/map.csv"}));
  EXPECT_NE(outcome.err.find("wrote results/map.csv"), std::string::npos);
}

}  // namespace
}  // namespace vesica::test::errors_test
