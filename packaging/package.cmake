# `cpack -G DEB` in a build folder makes a package for the release that it was built on. A build by
# the preset "package" on Debian 12 also serves Ubuntu 24.04, because libjpeg, whose soname differs,
# is linked into the program.
set(CPACK_PACKAGE_VENDOR "The Tilescope authors")
set(CPACK_PACKAGE_CONTACT "The Tilescope authors <tilescope@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION 
    "One key changes the kernel, its radius or its block shape, and the picture and its time
follow at once. Kernels run on an NVIDIA GPU, or on the CPU.")
# The compiler is for kernels on the CPU; the program compiles them as it runs.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ | c++-compiler, libc6-dev | libc-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
include(CPack)
