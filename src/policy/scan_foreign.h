/* SPDX-License-Identifier: Apache-2.0 */
/* Scan policies in a shape that people already have, written anew as ours. Pure; no system calls. */
#ifndef POLICY_SCAN_FOREIGN_H
#define POLICY_SCAN_FOREIGN_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * A file with forbidden_imports, forbidden_functions, forbidden_patterns or forbidden_commands per language
 * becomes a policy of ours that extends the built-in one and refuses what is forbidden; RET_NOTES gets
 * "FILE:LINE: ..." for each key. 1: the file has none of these words, and is as it was.
 */
int scan_foreign(const char *text, size_t len, const char *file, struct buf *ret_text,
		 struct strlist *ret_notes, struct aisbx_error *e);

#endif
