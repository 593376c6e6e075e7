/* SPDX-License-Identifier: Apache-2.0 */
/* The place /files: whoever comes with a signed address gets, or replaces, the one file that it is of. */
#ifndef SERVER_HTTP_SIGNED_FILES_H
#define SERVER_HTTP_SIGNED_FILES_H

#include "server/http/transfer.h"

void signed_files_request(struct transfers *t, struct exchange *x);

#endif
