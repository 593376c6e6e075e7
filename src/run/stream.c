/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers bytes one chunk at a time, storing at most one chunk and the last bytes; counts and drops what
 * exceeds the limit.
 */
#include "run/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"

/* For who writes so much that the pipe is full each time: fewer and larger records. */
#define WIDE_PIPE (1 << 20)

void stream_init(struct stream *s, int from, int to, struct buf *kept, uint64_t limit)
{
	struct stat st;

	*s = (struct stream){ .from = from, .to = to, .kept = kept, .limit = limit };
	if (to >= 0 && fstat(to, &st) == 0)
		s->to_file = S_ISREG(st.st_mode);
}

static void drop_tail(struct stream *s)
{
	free(s->tail);
	s->tail = NULL;
	s->tail_at = s->tail_len = 0;
}

void stream_finish(struct stream *s)
{
	free(s->data);
	s->data = NULL;
	free(s->last);
	s->last = NULL;
	drop_tail(s);
	redact_finish(&s->redact);
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

static size_t tail_size(const struct stream *s)
{
	if (s->limit == UINT64_MAX)
		return 0;
	return s->limit / 2 < STREAM_TAIL ? (size_t)(s->limit / 2) : STREAM_TAIL;
}

/* Adds N bytes to the ring; what falls out at the other end is cut. */
static void keep_tail(struct stream *s, const char *bytes, size_t n)
{
	size_t cap = tail_size(s);

	if (!n)
		return;
	if (!s->tail && (!cap || !(s->tail = malloc(cap)))) {
		s->dropped += n;
		return;
	}
	if (n > cap) {
		s->dropped += n - cap;
		bytes += n - cap;
		n = cap;
	}
	for (size_t left = n; left;) {
		size_t end = (s->tail_at + s->tail_len) % cap, part = cap - end < left ? cap - end : left;
		size_t over = s->tail_len + part > cap ? s->tail_len + part - cap : 0;

		memcpy(s->tail + end, bytes + n - left, part);
		s->tail_at = (s->tail_at + over) % cap;
		s->tail_len += part - over;
		s->dropped += over;
		left -= part;
	}
}

/* The source has ended: what waits, the mark, if something is missing, and the last bytes are what remains to
 * be written. */
static void release_tail(struct stream *s)
{
	size_t cap = tail_size(s), waits = s->len - s->at,
	       first = cap - s->tail_at < s->tail_len ? cap - s->tail_at : s->tail_len;
	char mark[64];
	size_t n = s->dropped
			   ? (size_t)snprintf(mark, sizeof(mark), STREAM_CUT, (unsigned long long)s->dropped)
			   : 0;
	char *all = malloc(waits + n + s->tail_len);

	if (!all) {
		s->dropped += s->tail_len;
		drop_tail(s);
		return;
	}
	if (waits && s->data)
		memcpy(all, s->data + s->at, waits);
	n += waits;
	memcpy(all + waits, mark, n - waits);
	memcpy(all + n, s->tail + s->tail_at, first);
	memcpy(all + n + first, s->tail, s->tail_len - first);
	s->passed += s->tail_len;
	free(s->data);
	s->data = all;
	s->at = 0;
	s->len = n + s->tail_len;
	drop_tail(s);
}

/* What waits in DATA goes into memory or to the log, if that is where it belongs. */
static void keep(struct stream *s)
{
	bool logged = s->log && s->len && runlog_add(s->log, s->which, s->data, s->len);

	if (s->to >= 0) /* there it goes as well, and the log itself knows what it lost */
		return;
	if (!s->log)
		buf_add(s->kept, s->data, s->len);
	else if (!logged)
		s->dropped += s->len;
	s->at = s->len;
}

/* N bytes in DATA: what is over the limit goes to the tail. */
static void take(struct stream *s, size_t n)
{
	uint64_t room = s->limit - tail_size(s) - s->passed;

	if (s->keeps_last && n && (s->last || (s->last = calloc(1, sizeof(*s->last)))))
		last_words_add(s->last, s->data, n);
	if (s->output_listener && n)
		s->output_listener(s->output_listener_ctx, s->which == RUNLOG_STDERR, s->data, n);
	s->at = 0;
	s->len = n < room ? n : (size_t)room;
	s->passed += s->len;
	keep_tail(s, s->data + s->len, n - s->len);
}

/* What came out of the redactor takes the place of DATA. Without memory it is lost: rather that than a secret
 * told. */
static void take_clean(struct stream *s, struct buf *clean, size_t read)
{
	if (clean->failed || s->redact.failed || s->known_secrets->failed) {
		s->dropped += read;
		clean->len = 0;
	}
	free(s->data);
	s->data = take_mem(&clean->data);
	take(s, clean->len);
	s->idle_ms = s->at_terminal && redact_can_idle(&s->redact) ? time_ms() + STREAM_IDLE_MS : 0;
}

void stream_end(struct stream *s)
{
	scoped(buf_finish) struct buf clean = { 0 };

	close_fd(&s->from);
	if (s->known_secrets && s->redact.held.len) {
		redact_end(&s->redact, &clean);
		take_clean(s, &clean, s->redact.held.len);
		if (!s->tail_len)
			keep(s);
	}
	if (s->tail_len) {
		release_tail(s);
		keep(s);
	}
	if (s->close_to)
		close_fd(&s->to);
}

void stream_idle(struct stream *s, uint64_t now_ms)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (!s->idle_ms || now_ms < s->idle_ms || s->at < s->len)
		return;
	redact_idle(&s->redact, &clean);
	take_clean(s, &clean, 0);
	keep(s);
}

/* What must not pass from here on. */
static void learn_secrets(struct stream *s)
{
	const struct redactor *what = s->known_secrets ? known_secrets_redactor(s->known_secrets) : NULL;

	if (what != s->redact.what && !(s->known_secrets && s->known_secrets->failed))
		redact_switch(&s->redact, what);
}

/* There are, or were until just now, secrets that must not pass. What finds them is made when there is
 * output. */
static bool may_scrub(const struct stream *s)
{
	return s->redact.what || s->redact.held.len || s->redact.failed ||
	       (s->known_secrets && known_secrets_any(s->known_secrets));
}

/* From the pipe straight to the log; false: the other way has to do, or there is nothing. */
static bool move_to_log(struct stream *s, uint64_t room)
{
	size_t moved;
	int waiting, r;

	if (!s->log || s->output_listener || s->to >= 0 || s->no_splice || !room ||
	    ioctl(s->from, FIONREAD, &waiting) < 0 || waiting <= 0)
		return false;
	if (waiting >= STREAM_ROOM && !s->widened) {
		fcntl(s->from, F_SETPIPE_SZ,
		      WIDE_PIPE); /* a person may have only so many wide ones; then it stays as it is */
		s->widened = true;
	}
	r = runlog_move(s->log, s->which, s->from, (uint64_t)waiting < room ? (size_t)waiting : (size_t)room,
			&moved);
	s->no_splice =
		r < 0; /* also when the disk is full: what stays in the pipe must be read to be dropped */
	*(r == 0 ? &s->passed : &s->dropped) += moved;
	return r == 0;
}

static ssize_t read_some(struct stream *s, char *room)
{
	ssize_t n = read(s->from, room, STREAM_ROOM);
	int err = n < 0 ? errno : 0;

	if (err == EINTR || err == EAGAIN)
		return 0;
	if (err && !(err == EIO &&
		     isatty(s->from))) /* a terminal's master says that when the last slave is closed */
		s->unread = err;
	if (n <= 0)
		stream_end(s);
	return n > 0 ? n : 0;
}

static void fill_clean(struct stream *s)
{
	scoped(buf_finish) struct buf clean = { 0 };
	char room[STREAM_ROOM];
	ssize_t n = read_some(s, room);

	if (n <= 0)
		return;
	learn_secrets(s);
	redact_feed(&s->redact, room, (size_t)n, &clean);
	take_clean(s, &clean, (size_t)n);
	keep(s);
}

static void fill(struct stream *s)
{
	ssize_t n;

	if (may_scrub(s)) {
		fill_clean(s);
		return;
	}
	if (move_to_log(s, s->limit - tail_size(s) - s->passed))
		return;
	if (!s->data && !(s->data = malloc(STREAM_ROOM))) {
		s->unread = ENOMEM;
		stream_end(s);
		return;
	}
	n = read_some(s, s->data);
	if (n <= 0)
		return;
	take(s, (size_t)n);
	keep(s);
}

static void drain(struct stream *s)
{
	size_t left = s->len - s->at;
	ssize_t n = write(s->to, s->data + s->at, !s->to_file && left > PIPE_BUF ? PIPE_BUF : left);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) { /* nobody reads any more: the command shall notice, as it would without us */
		s->unwritten = errno == EPIPE ? 0 : errno;
		s->at = s->len = 0;
		drop_tail(s);
		stream_end(s);
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
