/* SPDX-License-Identifier: Apache-2.0 */
/* What the config of an image says about running it: the object "config" of an OCI image configuration. */
#ifndef IMAGE_SETTINGS_H
#define IMAGE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "image/pseudo_policy.h"

/* The longest list, and the longest word in one, that an image may have. */
#define IMAGE_MAX_WORDS 4096u
#define IMAGE_MAX_WORD  131071u /* MAX_ARG_STRLEN of the kernel without its NUL */

struct image_settings {
	struct strlist entrypoint;   /* owned; words that come before every command; may be empty */
	struct strlist command;      /* owned; what runs when nobody says; may be empty */
	struct strlist env;          /* owned; "NAME=VALUE" */
	char *user;                  /* owned; "", "NAME", "UID", each perhaps with ":GROUP" or ":GID" */
	char *cwd;                   /* owned; clean and absolute; "/" where the image says nothing */
	struct pseudo_policy policy; /* owned; of an image that was a pseudo-image with one; else empty */
	bool for_machine;            /* it is a template that stands on a machine: there is no system in it */
};

void image_settings_finish(struct image_settings *s);
/*
 * JSON is hostile: what is not of the type that the specification says is refused, what is unknown is
 * ignored. An image that says nothing has empty settings. The caller finishes RET also after an error.
 */
int image_settings_read(const char *json, struct image_settings *ret, struct aisbx_error *e);

#endif
