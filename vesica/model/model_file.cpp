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

bool is_scene(const InputFile& file) { return file.root().find("duration").has_value(); }

Model read_model(const InputFile& file) { return read_fields<Model>(file); }
Model load_model(const std::string& path) { return read_model(InputFile::load(path)); }
Case read_case(const InputFile& file) { return read_fields<Case>(file); }

std::string write_model(const Model& model) {
  check_model(model);
  return write_fields(model);
}
std::string write_case(const Case& model) {
  check_model(model);
  return write_fields(model);
}

}  // namespace vesica
