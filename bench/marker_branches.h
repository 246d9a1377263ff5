// Recordings with lost and wild markers, and starts that are far off: how often markers_bench finds
// the right branch of the poses and the best optimum of the constants.
#pragma once

namespace vesica::markers {

void run_branches(int recordings);
void run_starts(int subjects);

}  // namespace vesica::markers
