/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of documents share (image/oci.h). */
#ifndef IMAGE_OCI_INSIDE_H
#define IMAGE_OCI_INSIDE_H

#include <stdbool.h>

#include <jansson.h>

#include "aisbx/error.h"

#define OCI_MAX_TEXT 65536u /* bytes of one text that is kept */

/* "the image has WHAT that WHY": WHAT "a layer", WHY "has no size". */
int oci_refuse(struct aisbx_error *e, const char *what, const char *why);
int oci_no_memory(struct aisbx_error *e);
/* A text of OBJECT, if it is there: *RET is left alone where it is not. */
int oci_text(const json_t *object, const char *key, const char *what, char **ret, struct aisbx_error *e);
/* Reads a list of descriptors, at most MOST; *RET has room for all. */
struct oci_descriptor;
int oci_descriptors(const json_t *list, size_t most, const char *what, struct oci_descriptor **ret,
		    size_t *ret_n, struct aisbx_error *e);
/* The document says what it is as the one who named it does. */
int oci_same_type(const json_t *document, const char *media_type, const char *what, struct aisbx_error *e);

#endif
