// vesica knee: a knee as a scene, to run, to vary, to change.
#include <fmt/format.h>

#include "apps/vesica/commands.h"
#include "vesica/biomechanics/knee_loaded.h"
#include "vesica/biomechanics/knee_strands.h"
#include "vesica/error.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"

namespace vesica::app {
namespace {

struct KneeArguments {
  std::string activity = "swing", side = "right", condyles = "spheres", strands, write;
  double flexion = 0;
};

constexpr double kEllipsoidStretch = 1.2;  // along y, over the height

biomechanics::KneeOptions make_knee_options(const KneeArguments& a) {
  biomechanics::KneeOptions options;
  if (!a.strands.empty()) {
    options = biomechanics::make_strand_options(a.strands);
    const auto strands = biomechanics::load_knee_strands(a.strands, 0);
    say("{} strands from femur to tibia; {} left out, which end on bodies that are not there: {}\n",
        strands.ligaments.size(), strands.left_out.size(), fmt::join(strands.left_out, ", "));
  }
  if (a.side == "left") options.side = biomechanics::Side::kLeft;
  if (a.condyles == "ellipsoids") {
    for (auto& c : options.condyles) c.radii.y() *= kEllipsoidStretch;
  }
  if (a.flexion < 0 || a.flexion > 140) throw InputError("--flexion: from 0 to 140 degrees");
  options.flexion = a.flexion * kPi / 180;
  return options;
}

void write_knee(const KneeArguments& a) {
  const auto options = make_knee_options(a);
  if (a.activity != "swing" && a.flexion != 0) {
    throw InputError("--flexion: where a swing begins; a squat and a step have their own");
  }
  const Model model = a.activity == "squat"  ? biomechanics::make_squat(options)
                      : a.activity == "step" ? biomechanics::make_step(options)
                                             : biomechanics::make_knee(options);
  const std::string text = write_model(model);
  if (a.write.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    save_text(a.write, text);
    say("{}: run it with: vesica simulate {}\n", a.write, a.write);
  }
}

}  // namespace

void add_knee(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "knee", "a knee as a scene, to run and to change");
  auto a = std::make_shared<KneeArguments>();
  command.option("--activity", &a->activity, "what it does")
      .one_of({"swing", "squat", "step"})
      .show_default();
  command.option("--side", &a->side, "right or left").one_of({"right", "left"}).show_default();
  command.option("--condyles", &a->condyles, "spheres, or ellipsoids 1.2 times as long as high")
      .one_of({"spheres", "ellipsoids"})
      .show_default();
  command.option("--strands", &a->strands,
                 "a table of ligament strands (CSV) in place of the twelve elements");
  command.option("--flexion", &a->flexion, "at the start of a swing [deg]");
  command.option("--write", &a->write, "the file to write; standard output without");
  command.footer("docs/howto/knee.md: what to measure for your own knee, and where to put it.");
  command.run([a] { write_knee(*a); });
}

}  // namespace vesica::app
