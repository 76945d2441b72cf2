// A small file that gzip packed.
#pragma once

#include <string>

namespace tide::test {

/// "hello, tide\n".
inline const std::string kPackedHello(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\x28\xc9\x4c\x49\xe5\x02"
    "\x00\xe2\x7f\x03\xfe\x0c\x00\x00\x00",
    32);

}  // namespace tide::test
