# Writes PTX files, or machine code (NAME.ARCHITECTURE.fatbin), into a C++ source: cmake -DFILES=... -DOUTPUT=... -P embed.cmake
set(code "// Written by embed.cmake.\n#include <cstring>\n\n")
set(table "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(extension ${file} LAST_EXT)
  if(extension STREQUAL ".ptx")
    file(READ ${file} text)
    # nvcc writes its own PTX version. The kernels only need that of generated kernels, which older drivers accept
    # (runtime/codegen/llvm/target.cpp); tests assemble the text with ptxas to check this.
    string(REGEX REPLACE "\n\\.version [0-9.]+" "\n.version 8.1" text "${text}")
    # A hint of later versions to the assembler, without effect on results.
    string(REGEX REPLACE "\n[\t ]*\\.pragma \"used_bytes_mask[^\n]*" "" text "${text}")
    # Comments and indentation are a third of the text.
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n[\t \n]+" "\n" text "${text}")
    string(APPEND table "    {\"${name}\", R\"ptx(${text})ptx\"},\n")
  else()
    set(symbol ${name}_image)
    file(SHA256 ${file} digest)  # so that a compiler cache notices changes of the file
    string(APPEND code "asm(\".pushsection .rodata # ${digest}\\n.balign 64\\n${symbol}: .incbin \\\"${file}\\\"\\n.popsection\");\n"
                       "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}[];\n")
    string(APPEND table "    {\"${name}\", ${symbol}},\n")
  endif()
endforeach()
string(APPEND code "\nnamespace {\nstruct Image {\n  const char* name;\n  const char* bytes;\n};\n")
string(APPEND code "const Image images[] = {\n${table}};\n}  // namespace\n\n")
string(APPEND code "/// One file of kernels, or null.\n")
string(APPEND code "extern \"C\" __attribute__((visibility(\"default\"))) const char* tide_cuda_kernels(const char* name) {\n")
string(APPEND code "  for (const Image& image : images)\n    if (std::strcmp(image.name, name) == 0) return image.bytes;\n  return nullptr;\n}\n")
file(WRITE ${OUTPUT} "${code}")
