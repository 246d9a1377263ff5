#include "vesica/model/model_file.h"

#include "vesica/model/field_reader.h"
#include "vesica/model/field_writer.h"
#include "vesica/model/seeds.h"

namespace vesica {
namespace {

template <class Data>
Data read_fields(const InputFile& file) {
  Data data;
  data.places = std::make_shared<Places>(file.name(), file.folder(), file.lines());
  FieldReader reader(file.root());
  reader.read([&] { data.describe(reader); });
  return data;
}

template <class Data>
std::string write_fields(Data data) {
  FieldWriter writer;
  data.describe(writer);
  return writer.text();
}

}  // namespace

bool is_scene(const InputFile& file) {
  const InputNode root = file.root();
  for (const char* key : {"duration", "contacts", "solver", "output", "gravity", "forces", "loops",
                          "controllers", "equilibrium"}) {
    if (root.find(key)) return true;
  }
  // Bodies alone: those of a case are called i and j.
  const auto bodies = root.find("bodies");
  return bodies && bodies->is_map() && !bodies->entries().empty() && !root.find("contact") &&
         !(bodies->find("i") && bodies->find("j"));
}

Model read_model(const InputFile& file) {
  if (!is_scene(file) && file.root().find("contact")) {
    file.root().fail("this is a case of one contact, for `vesica probe`; a scene has 'duration'");
  }
  return read_fields<Model>(file);
}
Model load_model(const std::string& path) { return read_model(InputFile::load(path)); }
Case read_case(const InputFile& file) {
  if (is_scene(file) && !file.root().find("contact")) {
    file.root().fail(
        "this is a scene, for `vesica simulate`; a case has bodies i and j and 'contact'");
  }
  return read_fields<Case>(file);
}

std::string write_model(const Model& model) {
  check_model(model);
  return write_fields(model);
}
std::string write_case(const Case& model) {
  check_model(model);
  return write_fields(model);
}

}  // namespace vesica
