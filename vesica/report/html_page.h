// One self-contained HTML file: text, tables, pictures and plots that answer to the mouse. Style
// and script are inside (html_page_parts.cpp); nothing is fetched. Without scripts the tables,
// figures and texts still show.
//
//   HtmlPage page("A ball drops", "out/bouncing_ball");
//   page.add_heading("Motion");
//   page.add_plot(plot);
//   save_text("report.html", page.as_html());
//
// When all plots are drawn the script sets data-state="done" and data-plots=<count> on the root
// element; a script error goes into data-error and is shown on the page.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vesica {

// Colours are names of the page's style: left, right, other (feet), bad; none: the next of the
// curves' own, or of the ink.
struct PlotSeries {
  std::string name;
  std::vector<double> y;           // NaN: a gap
  std::vector<double> times = {};  // its own; empty: those of the plot
  std::string color = {};
  std::string group = {};  // the name in the legend that several curves share; empty: its own name
};

struct PlotEvent {
  double time = 0;
  bool begins = true;  // drawn as a triangle down (begins) or up (ends)
  std::string text;    // shown under the mouse
  std::string color = {};
  bool filled = begins;  // or hollow
};
struct PlotBand {
  double start = 0, end = 0;
  std::string color = {};
};
struct PlotMark {  // a dashed line across
  double time = 0;
  std::string text;
};

// Curves over time, or over another quantity that `x_label` names. All plots over time of a page
// share their zoom.
struct TimePlot {
  std::string title, unit;
  std::vector<double> times;  // [s], never decreasing
  std::vector<PlotSeries> series;
  std::vector<PlotEvent> events;
  std::vector<PlotBand> bands;  // shaded intervals
  bool stacked = false;         // areas on top of each other
  std::string note;             // a line below
  std::vector<PlotMark> marks;
  std::optional<std::pair<double, double>> range;  // of time; as long as the curves without
  int height = 224;                                // pixels
  bool zero = false;                               // 0 is in view
  bool axis = true, legend = true;                 // shown
  std::string x_label = {};                        // empty: time [s]
};

// A curve in the plane, both axes to the same scale.
struct PathPlot {
  std::string title, x_label, y_label, unit;
  std::vector<double> times, x, y;  // NaN: a gap
  std::string note;
};

// Bodies that move, seen along an axis, with a slider.
// A body, or a further part of the one before it: that has no name.
struct PlayedBody {
  enum class Shape { kPoint, kHalfSpace, kSphere, kEllipsoid, kBox, kHull, kMesh };
  std::string name;
  Shape shape = Shape::kPoint;
  std::array<double, 3> size{};            // radii, or edges of a box
  std::vector<double> vertices;            // of hull, mesh: x y z ...
  std::vector<int> triangles;              // of a mesh: three vertices each
  std::array<double, 3> shape_position{};  // of the shape on its body
  std::array<double, 9> shape_rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row by row
  bool trail = false;
  bool patch = false;         // a half-space of which a piece is drawn
  std::vector<double> poses;  // x y z qw qx qy qz per frame; one frame: it rests
};
struct PlayedForce {
  std::string name;
  std::vector<double> values;  // px py pz fx fy fz per frame; NaN: none
};
struct PlayedLine {
  std::string name;
  std::vector<double> points;   // x y z of each point it passes, per frame; as many in every frame
  std::vector<double> tension;  // per frame
};
// A line from a point of one body to one of another; body -1: the world.
struct PlayedLink {
  int from = -1, to = -1;  // of Player::bodies
  std::array<double, 3> from_point{}, to_point{};
};
struct Player {
  std::string title, note;
  int across = 0, up = 2;  // the axes of the first view
  bool down = false;       // `up` points down: gravity acts along it
  std::vector<double> times;
  std::vector<PlayedBody> bodies;
  std::vector<PlayedForce> forces;
  std::vector<PlayedLine> lines;
  std::vector<PlayedLink> links;
};

class HtmlPage {
 public:
  HtmlPage(const std::string& title, const std::string& subtitle);

  void add_heading(const std::string& title, const std::string& words = {});
  void add_subheading(const std::string& title);
  void add_text(const std::string& words);
  // Large figures with a label each.
  void add_tiles(const std::vector<std::pair<std::string, std::string>>& value_and_label);
  enum class Mood { kGood, kBad };
  void add_notes(const std::string& title, const std::vector<std::string>& lines, Mood mood);
  // First of all: the work was interrupted, and this is what was done until then.
  void add_interruption();
  // What to look at, or the words of one that has nothing.
  void add_findings(const std::vector<std::string>& lines, const std::string& nothing);
  // The first column is text, the others are numbers but for `text_columns`, which wrap.
  void add_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows,
                 const std::vector<std::size_t>& text_columns = {});
  // What stands between the two calls opens and closes by a click.
  void begin_details(const std::string& title, bool open = false);
  void end_details();
  void add_preformatted(const std::string& text);
  // Plots and figures between the two calls stand side by side where the window is wide enough, or
  // so many in a row whatever its width.
  void begin_grid(int columns = 0);
  void end_grid();
  void add_plot(const TimePlot& plot);
  void add_path(const PathPlot& plot);
  void add_player(const Player& player);
  void add_svg(const std::string& svg, const std::string& caption);
  // A figure of another kind: `spec` has "kind" and its data, `script` defines kinds.KIND, a
  // function (host, spec) that draws into host and returns one that draws again. What the page's
  // own figures are made of (html_page_parts.cpp) is there for it. A script goes onto the page
  // once.
  void add_figure(const std::string& title, const std::string& note, const nlohmann::json& spec,
                  std::string_view script);

  std::string as_html() const;

 private:
  void add_mount(const std::string& title, const std::string& note, std::string json);

  std::string title_, subtitle_, body_, contents_;
  std::size_t headings_ = 0;
  std::vector<std::string> plots_;  // JSON, one object each
  std::vector<std::string_view> scripts_;
};

// Rows that a plot of so many columns of pixels needs: for every column the rows where one of the
// series is lowest or highest, the first and the last row; all rows where there are few.
std::vector<std::size_t> choose_rows(const std::vector<const std::vector<double>*>& series,
                                     std::size_t rows, std::size_t pixel_columns);

}  // namespace vesica
