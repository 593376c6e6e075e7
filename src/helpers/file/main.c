/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-file: one action on the files of a box, done inside it, so that no path leads out of it. Its own
 * program is its standard input, followed by the request; the answer goes to standard output, a file that
 * only the caller reads.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/std_fds.h"
#include "helpers/file/file.h"

int why(struct file_answer *a, enum file_why w, int error)
{
	a->why = w;
	return -error;
}

enum file_type type_of(const struct stat *st)
{
	return S_ISREG(st->st_mode)   ? FILE_IS_FILE
	       : S_ISDIR(st->st_mode) ? FILE_IS_DIR
	       : S_ISLNK(st->st_mode) ? FILE_IS_LINK
				      : FILE_IS_OTHER;
}

void tell_stat(struct file_answer *a, const struct stat *st)
{
	a->type = type_of(st);
	a->mode = st->st_mode & 07777;
	a->size = (uint64_t)st->st_size;
	a->mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
}

/* Behind the program, where our offset stands. Texts come with their NULs, so one buffer holds them all. */
static int hear(struct ask *q, char **ret_texts)
{
	size_t all = 0, got = 0;
	char *texts;
	ssize_t n = read(STDIN_FILENO, &q->head, sizeof(q->head));

	if (n != sizeof(q->head) || q->head.magic != FILE_MAGIC)
		return -EPROTO;
	for (int i = 0; i < FILE_PARTS; i++) {
		if (q->head.len[i] > FILE_MAX_DATA)
			return -EPROTO;
		all += q->head.len[i] + 1;
	}
	texts = malloc(all);
	if (!texts)
		return -ENOMEM;
	while (got < all && (n = read(STDIN_FILENO, texts + got, all - got)) > 0)
		got += (size_t)n;
	*ret_texts = texts;
	for (int i = 0; i < FILE_PARTS; i++) {
		q->part[i] = texts;
		texts += q->head.len[i] + 1;
	}
	return got == all ? 0 : -EPROTO;
}

static int act(const struct ask *q, struct file_answer *a, struct buf *data)
{
	switch ((enum file_act)q->head.act) {
	case FILE_READ:
		return q->head.flags & FILE_BESIDE ? act_read_beside(q, a, STDOUT_FILENO)
						   : act_read(q, a, data);
	case FILE_WRITE:
		return act_write(q, a);
	case FILE_LIST:
		return act_list(q, a, data);
	case FILE_STAT:
		return act_stat(q, a, data);
	case FILE_REMOVE:
		return act_remove(q, a);
	case FILE_MOVE:
		return act_move(q, a);
	case FILE_MAKE_DIR:
		return act_make_dir(q, a);
	case FILE_WATCH:
		return act_watch(q, a, STDOUT_FILENO);
	case FILE_PACK:
		return act_pack(q, a, STDOUT_FILENO);
	case FILE_ACTS:
		break;
	}
	return -EPROTO;
}

int main(void)
{
	struct file_answer a = { .magic = FILE_MAGIC };
	struct buf data = { 0 };
	struct ask q = { 0 };
	char *texts = NULL;
	int r;

	std_fds_hold();
	prctl(PR_SET_DUMPABLE, 0); /* others in the box have no business in our memory */
	prctl(PR_SET_NAME, "aisbx-file");
	signal(SIGXFSZ, SIG_IGN); /* an error tells more */
	signal(SIGPIPE, SIG_IGN);
	r = hear(&q, &texts);
	if (r == 0)
		r = act(&q, &a, &data);
	if (r == 0 && data.failed)
		r = -ENOMEM;
	a.error = -r;
	if (q.head.act == FILE_PACK ||
	    q.head.act == FILE_WATCH) { /* what they have to say stands before the answer */
		r = io_write_all(STDOUT_FILENO, &a, sizeof(a));
	} else if (q.head.flags & FILE_BESIDE) {
		r = pwrite(STDOUT_FILENO, &a, sizeof(a), 0) == sizeof(a) ? 0 : -EIO;
	} else {
		a.data_len = a.error ? 0 : data.len;
		r = io_write_all(STDOUT_FILENO, &a, sizeof(a));
		if (r == 0)
			r = io_write_all(STDOUT_FILENO, data.data, a.data_len);
	}
	buf_finish(&data);
	free(texts);
	return r == 0 ? 0 : 1;
}
