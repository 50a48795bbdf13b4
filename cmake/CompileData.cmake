# Turns data/*.json into C++ tables in the build folder. The tool refuses data that its readers refuse.
function(gpuadvise_compile_data out_sources)
  file(GLOB_RECURSE data_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/data/*.json")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(names gpus names stacks rules prices offers files models_index)
  foreach(shard RANGE 0 7)
    list(APPEND names models_${shard})
  endforeach()
  set(sources "")
  foreach(name IN LISTS names)
    list(APPEND sources "${folder}/${name}.cpp")
  endforeach()
  add_custom_command(
    OUTPUT ${sources}
    COMMAND gpuadvise-compile-data "${CMAKE_CURRENT_SOURCE_DIR}/data" "${folder}"
    DEPENDS gpuadvise-compile-data ${data_files}
    COMMENT "Compiling data/"
    VERBATIM)
  set(${out_sources} ${sources} PARENT_SCOPE)
endfunction()
