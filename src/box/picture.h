/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that programs of others show: which type, by the first bytes. */
#ifndef BOX_PICTURE_H
#define BOX_PICTURE_H

#include <stddef.h>

/* "image/png", image/jpeg, image/gif or image/webp; NULL: DATA begins none of them. */
const char *picture_type(const char *data, size_t len);

#endif
