// Image orientation from EXIF data.
#pragma once

#include <string_view>

#include "runtime/io/host_array.h"

namespace tide {

/// The orientation in EXIF data (a TIFF header and its directory): 1 to 8; 1, upright, if there is
/// none or the data is invalid.
int exif_orientation(std::string_view exif);

/// The byte image (channels, height, width), rotated and mirrored to be upright.
HostArray upright(HostArray image, int orientation);

}  // namespace tide
