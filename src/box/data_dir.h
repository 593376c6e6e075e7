/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sockets of data connections lie (server/rpc/data.h): a directory of this user alone. */
#ifndef BOX_DATA_DIR_H
#define BOX_DATA_DIR_H

#include "aisbx/error.h"

/* Makes it if it does not exist. RET_PATH: heap; returns a descriptor to make things in it. */
int box_data_dir(char **ret_path, struct aisbx_error *e);

#endif
