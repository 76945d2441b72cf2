// The orientation in EXIF data.
#pragma once

#include <string_view>

#include "runtime/io/host_array.h"

namespace tide {

/// The orientation that EXIF data (a TIFF header and its directory) name: 1 to 8; 1, upright, if
/// they name none or are damaged.
int exif_orientation(std::string_view exif);

/// The picture (channels, height, width) of bytes, turned and mirrored so that it is upright.
HostArray upright(HostArray image, int orientation);

}  // namespace tide
