# Finds the C++ build of Lua, with which a Lua error unwinds C++ objects: TIDE_LUA.
find_library(TIDE_LUA_ARCHIVE NAMES liblua5.4-c++.a REQUIRED)
# Debian 13 gives Lua's functions the names of C++, which C modules and the module for a stock Lua do not know: here they
# get their own.
set(TIDE_LUA ${TIDE_LUA_ARCHIVE})
execute_process(
  COMMAND ${CMAKE_NM} --extern-only --defined-only ${TIDE_LUA_ARCHIVE} OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "_Z[0-9]+lua[A-Za-z0-9_]+" names "${names}")
if(names)
  set(renamed "")
  foreach(name ${names})
    string(REGEX MATCH "^_Z([0-9]+)(.*)" _ ${name})
    string(SUBSTRING ${CMAKE_MATCH_2} 0 ${CMAKE_MATCH_1} own)
    string(APPEND renamed "${name} ${own}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lua.names CONTENT "${renamed}" @ONLY)
  set(TIDE_LUA ${CMAKE_BINARY_DIR}/liblua5.4-c++.a)
  execute_process(
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${CMAKE_BINARY_DIR}/lua.names ${TIDE_LUA_ARCHIVE} ${TIDE_LUA}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
