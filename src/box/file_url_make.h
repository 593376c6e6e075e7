/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a signed address for a file of a box that is there. */
#ifndef BOX_FILE_URL_MAKE_H
#define BOX_FILE_URL_MAKE_H

#include "box/file_act.h"
#include "box/file_url.h"

/* As long as one is good at most, and if nobody says. */
#define FILE_URL_MOST_MS  (7ull * 24 * 3600 * 1000)
#define FILE_URL_USUAL_MS (15ull * 60 * 1000)

struct file_url_made {
	char *query, *path; /* owned */
	char box[STORE_ID_MAX];
	uint64_t until;
};

void file_url_made_finish(struct file_url_made *m);
/* For whom we act for; the file need not be there. */
int file_url_make(const struct caller *by, const char *box, const struct box_path *path, bool writes,
		  uint64_t lasts_ms, struct file_url_made *ret, struct aisbx_error *e);

#endif
