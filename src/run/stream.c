/* SPDX-License-Identifier: Apache-2.0 */
/* Moves bytes one chunk at a time, holding at most one chunk; counts and drops what is over the limit. */
#include "run/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

void stream_init(struct stream *s, int from, int to, struct buf *kept, uint64_t limit)
{
	struct stat st;

	*s = (struct stream){ .from = from, .to = to, .kept = kept, .limit = limit };
	if (to >= 0 && fstat(to, &st) == 0)
		s->to_file = S_ISREG(st.st_mode);
}

void stream_finish(struct stream *s)
{
	free(s->data);
	s->data = NULL;
	close_fd(&s->from);
	if (s->close_to)
		close_fd(&s->to);
}

bool stream_done(const struct stream *s)
{
	return s->from < 0 && s->at == s->len;
}

struct pollfd stream_poll(const struct stream *s)
{
	if (s->at < s->len)
		return (struct pollfd){ .fd = s->to, .events = POLLOUT };
	return (struct pollfd){ .fd = s->from, .events = POLLIN };
}

static void source_ended(struct stream *s)
{
	close_fd(&s->from);
	if (s->close_to)
		close_fd(&s->to);
}

static void fill(struct stream *s)
{
	uint64_t room;
	ssize_t n;

	if (!s->data && !(s->data = malloc(STREAM_ROOM))) {
		source_ended(s);
		return;
	}
	n = read(s->from, s->data, STREAM_ROOM);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) { /* a terminal's master says EIO when the last slave is closed */
		source_ended(s);
		return;
	}
	room = s->limit - s->passed;
	s->at = 0;
	s->len = (uint64_t)n < room ? (size_t)n : (size_t)room;
	s->passed += s->len;
	s->dropped += (uint64_t)n - s->len;
	if (s->to < 0) {
		buf_add(s->kept, s->data, s->len);
		s->at = s->len;
	}
}

static void drain(struct stream *s)
{
	size_t left = s->len - s->at;
	ssize_t n = write(s->to, s->data + s->at, !s->to_file && left > PIPE_BUF ? PIPE_BUF : left);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) { /* nobody reads any more: the command shall notice, as it would without us */
		s->at = s->len = 0;
		source_ended(s);
		return;
	}
	s->at += (size_t)n;
}

void stream_move(struct stream *s)
{
	if (s->at < s->len) {
		drain(s);
	} else if (s->from >= 0) {
		fill(s);
		if (s->at < s->len && s->to_file) /* anything else may block and waits for its POLLOUT */
			drain(s);
	}
}
