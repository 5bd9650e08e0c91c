# Run by cpack before it makes the package: what dpkg-shlibdeps finds, so that another release can
# install it. There a library may have the suffix t64, and its revision counts otherwise.
set(folder ${CPACK_TEMPORARY_DIRECTORY})
file(WRITE ${folder}/debian/control "")
execute_process(COMMAND dpkg-shlibdeps -O ${folder}${CPACK_PACKAGING_INSTALL_PREFIX}/bin/tilescope
    WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE found ERROR_VARIABLE said RESULT_VARIABLE result)
file(REMOVE_RECURSE ${folder}/debian)
if(result)
    message(FATAL_ERROR "dpkg-shlibdeps: ${said}")
endif()
string(REGEX REPLACE "^.*Depends=|\n" "" found "${found}")
string(REGEX REPLACE "-[^-() ]+[)]" ")" found "${found}")
foreach(name libglib2.0-0 libpng16-16)
    string(REGEX REPLACE "${name}(t64)?( [(][^)]*[)])?" "${name}\\2 | ${name}t64\\2" found "${found}")
endforeach()
string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${found}")
