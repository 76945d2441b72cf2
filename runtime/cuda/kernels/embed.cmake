# Writes PTX files, or machine code (NAME.ARCHITECTURE.fatbin), into a C++ source: cmake -DFILES=... -DOUTPUT=... -P embed.cmake
set(code "// Written by embed.cmake.\n#include <cstring>\n\n")
set(table "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(extension ${file} LAST_EXT)
  if(extension STREQUAL ".ptx")
    file(READ ${file} text)
    # nvcc names its own version of PTX. What the kernels use is in the version of generated kernels, too, which older
    # drivers take (runtime/codegen/llvm/target.cpp); ptxas checks it, as it assembles the text in tests.
    string(REGEX REPLACE "\n\\.version [0-9.]+" "\n.version 8.1" text "${text}")
    # Later versions tell the assembler which bytes of a load are used, which changes nothing.
    string(REGEX REPLACE "\n[\t ]*\\.pragma \"used_bytes_mask[^\n]*" "" text "${text}")
    # Comments and indentation are a third of it.
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n[\t \n]+" "\n" text "${text}")
    string(APPEND table "    {\"${name}\", R\"ptx(${text})ptx\"},\n")
  else()
    set(symbol ${name}_image)
    file(SHA256 ${file} digest)  # by which a compiler cache sees that the file has changed
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
