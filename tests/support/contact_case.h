// A contact from `i: {shape}`, `j: {shape}`, `contact: {laws}`.
#pragma once

#include <string>

#include "vesica/model/field_reader.h"
#include "vesica/model/make_contact.h"

namespace vesica::test {

inline Contact<double> read_contact_case(const std::string& text, const std::string& name) {
  const InputFile file = InputFile::parse(text, name);
  model::BodyShape<> i, j;
  model::Contact<> contact;
  FieldReader reader(file.root());
  reader.read([&] {
    reader.below("i", [&] { i.describe(reader); });
    reader.below("j", [&] { j.describe(reader); });
    reader.below("contact", [&] { contact.describe_laws(reader); });
  });
  const Places places(file.name(), ".", file.lines());
  return make_contact<double>(contact, {make_shape(i, places, "i")}, {make_shape(j, places, "j")},
                              places, "contact")
      .contact;
}

}  // namespace vesica::test
