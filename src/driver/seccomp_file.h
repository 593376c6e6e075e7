/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's seccomp file: from JSON as Docker has it to instructions for the kernel. */
#ifndef DRIVER_SECCOMP_FILE_H
#define DRIVER_SECCOMP_FILE_H

#include "aisbx/error.h"
#include "base/buf.h"

/*
 * RET_CODE: an array of struct sock_filter, at least one. Whatever is wrong with the file, or with the helper
 * aisbx-seccomp that reads it, is an error.
 */
int seccomp_file_read(const char *path, struct buf *ret_code, struct aisbx_error *e);

#endif
