/* SPDX-License-Identifier: Apache-2.0 */
/* A whole file of a box, more at its end, or one text in it by another. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "box/file_act.h"

static int too_much(struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
		"the content is larger than the %u MiB that an argument can have; give it as standard input",
		FILE_MAX_DATA >> 20);
}

static int take_if(const char *text, struct file_request *head, struct aisbx_error *e)
{
	if (!text)
		return 0;
	if (!strcmp(text, "absent")) {
		head->flags |= FILE_IF_ABSENT;
		return 0;
	}
	if (strlen(text) != 2 * sizeof(head->sum) || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'if' takes a sha256 as 64 hexadecimal digits, or the word absent");
	for (size_t i = 0; i < sizeof(head->sum); i++) {
		unsigned int byte = 0;

		sscanf(text + 2 * i, "%2x", &byte);
		head->sum[i] = (uint8_t)byte;
	}
	head->flags |= FILE_IF_SUM;
	return 0;
}

static int set_text(struct box_act *a, enum file_part part, const struct buf *text, struct aisbx_error *e)
{
	if (text->len > FILE_MAX_DATA)
		return too_much(e);
	a->ask.part[part] = text->len ? text->data : "";
	a->ask.head.len[part] = text->len;
	return 0;
}

int box_file_write(const struct caller *by, const char *box, const struct box_path *path,
		   const struct box_write *w, struct box_act *a, struct aisbx_error *e)
{
	int r = take_if(w->if_sum, &a->ask.head, e);

	if (r == 0)
		r = box_act_mode(w->mode, &a->ask.head, e);
	if (r == 0 && w->from_input && by->stdin_fd < 0)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "nothing to write: give 'content', or 'replace' and 'with'");
	if (r == 0 && w->edit && !w->old->len)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'replace' is empty: give the text to replace");
	a->ask.head.flags |= (w->edit ? FILE_REPLACE : 0) | (w->append ? FILE_APPEND : 0);
	if (r == 0)
		r = set_text(a, FILE_A, w->old, e);
	if (r == 0)
		r = set_text(a, FILE_A + 1, w->new, e);
	if (r == 0)
		r = box_act_begin(by, box, path, FILE_WRITE, a, e);
	if (r < 0)
		return r;
	return w->from_input ? box_act_store(a, by->stdin_fd, w, e) : box_act_do(a, e);
}
