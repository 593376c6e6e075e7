/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label that makes an image a template (box/template.h): what the template was called, what it stands on,
 * and the settings that it asks for. It comes from a registry, so nothing in it is more than a wish.
 */
#ifndef IMAGE_TEMPLATE_LABEL_H
#define IMAGE_TEMPLATE_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

/* Its text is one JSON object. */
#define TEMPLATE_LABEL "aisbx.template"

#define TEMPLATE_LABEL_MAX  65536u /* bytes of the text */
#define TEMPLATE_WORD_MAX   64u    /* of a name */
#define TEMPLATE_RULES_MAX  256u   /* network rules */
#define TEMPLATE_RULE_MAX   256u   /* bytes of one */
#define TEMPLATE_SYSTEM_MAX 64u    /* bytes of the names of a system and a machine */

struct template_label {
	char *name;         /* owned */
	char *os;           /* owned; "debian 13"; NULL: it stands on the layers of the image */
	char *machine;      /* owned; "x86_64"; with os */
	bool system;        /* with os: it changed the system, not only the home */
	char *profile;      /* owned; NULL: none */
	struct strlist net; /* owned; rules and presets */
	bool no_caches, autosnap;
	char *recipe; /* owned; NULL: by none */
	char *lock;   /* owned; hexadecimal SHA-256; with recipe */
};

void template_label_finish(struct template_label *l);
/*
 * TEXT is hostile: a key that is not known, a value of another type or length, and letters that names do not
 * have are refused. The caller finishes RET always.
 */
int template_label_read(const char *text, size_t len, struct template_label *ret, struct aisbx_error *e);
/* Of the config of an image. RET_FOUND: it has one. */
int template_label_find(const char *config, struct template_label *ret, bool *ret_found,
			struct aisbx_error *e);
/* Heap; NULL: no memory. The same bytes for the same label. */
char *template_label_write(const struct template_label *l);

#endif
