# Read by CPack: settings of the Debian package that differ from the archive's.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL program)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tide)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the authors of tide <tide@localhost>")
  set(CPACK_DEBIAN_PACKAGE_SECTION math)
  set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Lua prompt with tensors on CPUs and GPUs
Lua 5.4 with device-aware tensors, gradients, models, data and timing, in PyTorch's names.
With the module for a stock Lua.")
  # Dependencies on all libraries that the program, the module and the plugins are linked with.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libreadline8)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, lua5.4")
endif()
