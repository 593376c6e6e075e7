/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of files, compared. */
#ifndef HELPERS_IMAGE_COMPARE_FILE_H
#define HELPERS_IMAGE_COMPARE_FILE_H

#include "helpers/image/tar_read.h"

/* The file FD (O_PATH) with the content of the entry T. RET: NULL, or what is different. */
int compare_content(struct tar_reader *r, const struct tar_entry *t, int fd, const char **ret,
		    struct aisbx_error *e);
/* Two files, likewise. A negative errno. */
int compare_two_files(int a, int b, const char **ret);

#endif
