# Embeds the files of scripts/ (Lua, lesson data, page styles) and the documents of docs/ in a C++ source.
# Included: tide_embed_scripts(VARIABLE) sets VARIABLE to the path of the source to compile.
# As a script (cmake -P, with ROOT, FILES and OUTPUT set): writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "|" ";" FILES "${FILES}")
  set(index 0)
  foreach(path IN LISTS FILES)
    set(source "${ROOT}/scripts/${path}")
    if(path MATCHES "^docs/")
      set(source "${ROOT}/${path}")
    endif()
    # The assembler copies the bytes: any file fits, and the compiler has nothing to read. A compiler
    # cache sees no more than the text: the digest shows when a file has changed.
    file(SHA256 "${source}" digest)
    string(APPEND blobs "TIDE_EMBED(${index}, \"${source}\", \"${digest}\")\n")
    string(APPEND rows "      TIDE_ROW(${index}, \"${path}\"),\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(WRITE "${OUTPUT}.new" "// Generated from scripts/ and docs/ by bindings/support/embed.cmake.
#include \"bindings/support/embedded.h\"

#define TIDE_EMBED(n, path, digest)                                       \\
  asm(\".pushsection .rodata # \" digest \"\\n\"                             \\
      \"tide_file_\" #n \": .incbin \\\"\" path \"\\\"\\n\"                          \\
      \"tide_file_end_\" #n \": .byte 0\\n\"                                   \\
      \".popsection\");                                                     \\
  extern \"C\" __attribute__((visibility(\"hidden\"))) const char tide_file_##n[], tide_file_end_##n[];
#define TIDE_ROW(n, path) \\
  {path, {tide_file_##n, static_cast<std::size_t>(tide_file_end_##n - tide_file_##n)}}

${blobs}
namespace tide {

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files = {
${rows}  };
  return files;
}

}  // namespace tide
")
  file(RENAME "${OUTPUT}.new" "${OUTPUT}")
  return()
endif()

set(TIDE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(tide_embed_scripts variable)
  set(root ${CMAKE_SOURCE_DIR})
  set(scripts ${root}/scripts)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${scripts} ${scripts}/*.lua
       ${scripts}/data/*.npz ${scripts}/tide/*.css ${scripts}/tide/*.js ${scripts}/tide/*.html)
  file(GLOB documents CONFIGURE_DEPENDS RELATIVE ${root} ${root}/docs/*.md ${root}/docs/*.svg ${root}/docs/*.png)
  list(TRANSFORM files PREPEND ${scripts}/ OUTPUT_VARIABLE depends)
  list(TRANSFORM documents PREPEND ${root}/ OUTPUT_VARIABLE other_depends)
  list(APPEND depends ${other_depends})
  list(APPEND files ${documents})
  list(SORT files)
  list(JOIN files "|" joined)
  set(output ${CMAKE_BINARY_DIR}/generated/embedded_files.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -DROOT=${root} "-DFILES=${joined}" -DOUTPUT=${output}
            -P ${TIDE_EMBED_SCRIPT}
    DEPENDS ${depends} ${TIDE_EMBED_SCRIPT}
    COMMENT "Embedding the Lua library"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
