/* SPDX-License-Identifier: Apache-2.0 */
/* Scans many programs, with one start of the helper for each batch: files, or all that a box changed. */
#ifndef BOX_SCAN_H
#define BOX_SCAN_H

#include "base/buf.h"
#include "box/box.h"
#include "box/caller.h"
#include "policy/scan_policy.h"
#include "scan/core/scan.h"

#define BOX_SCAN_FILES 512u /* in a batch */

struct box_scan {
	const struct caller *by;          /* borrowed; who runs the policy's modules; NULL: it has none */
	const struct scan_policy *policy; /* borrowed */
	const char *lang;                 /* static, or NULL: by name or first line */
	/* Called for each program; all borrowed. PATH NULL: it has none. */
	void (*found)(void *ctx, const char *path, const struct scan_report *report,
		      const struct facts *facts);
	void *ctx;
	size_t scanned, skipped; /* programs; files in unsupported languages */
	size_t bytes;            /* of programs */
	enum scan_severity risk;
	struct box_scan_program { /* on its way */
		char *path;       /* owned; NULL: standard input */
		const char *lang; /* static */
		struct buf text;
	} batch[BOX_SCAN_FILES];
	size_t n, held; /* in the batch, and the bytes of that */
};

void box_scan_finish(struct box_scan *s);
/* The content of FD; NAME: its name, NULL: standard input. With MUST its language has to be known. */
int box_scan_add(struct box_scan *s, int fd, const char *name, bool must, struct aisbx_error *e);
/* Waits until all programs are scanned. */
int box_scan_flush(struct box_scan *s, struct aisbx_error *e);
/* All programs that B changed; SNAPSHOT "": as it is. Into its history. */
int box_scan_changes(struct box_scan *s, struct box_state *state, const struct store_box *b,
		     const char *snapshot, struct aisbx_error *e);

struct box_scan_request {
	const char *box; /* borrowed, as all of these; BOX[@SNAPSHOT]: what it changed; NULL: FILES */
	const struct strlist *files; /* relative to the caller's directory; "-": its input */
	const char *policy;          /* see box_scan_policy */
};

/* All that is meant, by the policy, which is put into RET_POLICY; that is the one of S. */
int box_scan_all(const struct caller *by, const struct box_scan_request *req, struct scan_policy *ret_policy,
		 struct box_scan *s, struct aisbx_error *e);

/* scan_policy.c. NAME: NULL or "default" for the one that is built in, else a file; one without '/' is also
 * looked for in aisbx's folders. */
int box_scan_policy(const struct caller *by, const char *name, struct scan_policy *ret,
		    struct aisbx_error *e);

#endif
