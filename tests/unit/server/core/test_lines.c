/* SPDX-License-Identifier: Apache-2.0 */
/* Lines out of pieces, and conversations over pipes: ends on either side, and an other side that does not
 * read. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/core/lines.h"

/* What has happened, as text. */
struct seen {
	struct buf said;
	struct loop *loop;
	struct lines *lines;
	int wakes; /* stop the loop after so many lines; 0: never */
};

static void on_line(void *ctx, const char *text, size_t len)
{
	struct seen *s = ctx;

	buf_addf(&s->said, "<%.*s>", (int)len, text);
	if (s->wakes && --s->wakes == 0)
		loop_stop(s->loop);
}

static void on_full(void *ctx, bool full)
{
	struct seen *s = ctx;

	buf_addf(&s->said, "%s ", full ? "full" : "room");
}

static void on_end(void *ctx, int why)
{
	struct seen *s = ctx;

	buf_addf(&s->said, "end %d ", why);
	lines_send(s->lines, "answer", 6);
	lines_end(s->lines);
	lines_send(s->lines, "too late", 8);
}

static void on_gone(void *ctx)
{
	struct seen *s = ctx;

	buf_addf(&s->said, "gone ");
	loop_stop(s->loop);
}

static void on_flushed(void *ctx)
{
	struct seen *s = ctx;

	buf_addf(&s->said, "flushed ");
	lines_close(s->lines);
	loop_stop(s->loop);
}

static const struct lines_events events = { on_line, on_full, on_end, on_gone, on_flushed };

/* ---- the cutter ---- */

static void cuts(const char *pieces[], const char *lines)
{
	struct cutter c = { 0 };
	struct seen s = { 0 };

	for (; *pieces; pieces++)
		assert_int_equal(cutter_feed(&c, *pieces, strlen(*pieces), on_line, &s), 0);
	cutter_end(&c, on_line, &s);
	assert_string_equal(s.said.len ? buf_str(&s.said) : "", lines);
	cutter_finish(&c);
	buf_finish(&s.said);
}

static void lines_of_pieces(void **state)
{
	(void)state;
	cuts((const char *[]){ "a\nb\n", NULL }, "<a><b>");
	cuts((const char *[]){ "a", "b", "\n", "c", NULL }, "<ab><c>");
	cuts((const char *[]){ "\n\r\n\n", "a\r\n", "b\r", "\n", NULL }, "<a><b>");
	cuts((const char *[]){ "a\rb\n", NULL }, "<a\rb>");
	cuts((const char *[]){ "", NULL }, "");
}

static void the_longest(void **state)
{
	struct cutter c = { 0 };
	struct seen s = { 0 };
	char *lump = malloc(LINES_LONGEST);
	size_t said;

	(void)state;
	assert_non_null(lump);
	memset(lump, 'x', LINES_LONGEST);
	assert_int_equal(cutter_feed(&c, lump, LINES_LONGEST, on_line, &s), 0);
	assert_int_equal(cutter_feed(&c, "\n", 1, on_line, &s), 0);
	said = s.said.len;
	assert_int_equal(said, LINES_LONGEST + 2);
	assert_true(c.part.cap < LINES_LONGEST); /* given back */
	assert_int_equal(cutter_feed(&c, lump, LINES_LONGEST, on_line, &s), 0);
	assert_int_equal(cutter_feed(&c, "x", 1, on_line, &s), -E2BIG);
	assert_int_equal(s.said.len, said);
	cutter_finish(&c);
	buf_finish(&s.said);
	free(lump);
}

/* ---- conversations ---- */

static int ours[2]; /* what the test writes, and reads */

static void begin(struct seen *s)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int to[2], from[2];

	*s = (struct seen){ 0 };
	assert_int_equal(pipe2(to, O_CLOEXEC | O_NONBLOCK) | pipe2(from, O_CLOEXEC | O_NONBLOCK), 0);
	ours[0] = to[1];
	ours[1] = from[0];
	assert_int_equal(loop_new(&s->loop, &e), 0);
	assert_int_equal(lines_open(s->loop, to[0], from[1], &events, s, &s->lines, &e), 0);
}

static void turn(struct seen *s)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	alarm(60);
	assert_int_equal(loop_run(s->loop, &e), 0);
	alarm(0);
}

static void finish(struct seen *s, const char *said)
{
	assert_string_equal(s->said.len ? buf_str(&s->said) : "", said);
	buf_finish(&s->said);
	loop_destroy(s->loop);
	if (ours[0] >= 0)
		close(ours[0]);
	if (ours[1] >= 0)
		close(ours[1]);
}

static void end_of_input_and_of_output(void **state)
{
	struct seen s;
	char room[16];

	(void)state;
	begin(&s);
	assert_int_equal(write(ours[0], "one\ntwo", 7), 7);
	close(ours[0]);
	ours[0] = -1;
	turn(&s);
	assert_int_equal(read(ours[1], room, sizeof(room)), 7);
	assert_memory_equal(room, "answer\n", 7);
	finish(&s, "<one><two>end 0 flushed ");
}

static void a_line_without_end(void **state)
{
	struct seen s;
	char expected[64], lump[4096];

	(void)state;
	begin(&s);
	memset(lump, 'z', sizeof(lump));
	if (fork() == 0) { /* who writes must wait for who reads */
		fcntl(ours[0], F_SETFL, 0);
		signal(SIGPIPE, SIG_DFL);
		for (int fd = STDERR_FILENO + 1; fd < 64;
		     fd++) /* else it would itself be somebody who reads */
			if (fd != ours[0])
				close(fd);
		for (size_t i = 0; i < 2 * LINES_LONGEST / sizeof(lump); i++)
			if (write(ours[0], lump, sizeof(lump)) < 0)
				break;
		_exit(0);
	}
	turn(&s);
	close(ours[0]);
	ours[0] = -1;
	wait(NULL);
	snprintf(expected, sizeof(expected), "end %d flushed ", -E2BIG);
	finish(&s, expected);
}

static void nobody_reads(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	close(ours[1]);
	ours[1] = -1;
	lines_send(s.lines, "answer", 6);
	assert_int_equal(s.said.len, 0); /* not from inside */
	turn(&s);
	lines_close(s.lines);
	finish(&s, "gone ");
}

static size_t got;

static void on_ours(void *ctx, uint32_t what)
{
	char room[65536];
	ssize_t n = read(ours[1], room, sizeof(room));

	(void)ctx;
	(void)what;
	got += n > 0 ? (size_t)n : 0;
}

/* Meanwhile nothing is read from it either, and nothing is lost. */
static void somebody_reads_late(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct watch *watch = NULL;
	struct seen s;
	char lump[65536];
	size_t sent = 0;

	(void)state;
	begin(&s);
	memset(lump, 'y', sizeof(lump));
	while (!lines_is_full(s.lines)) {
		lines_send(s.lines, lump, sizeof(lump) - 1);
		sent += sizeof(lump);
	}
	assert_true(sent > LINES_FULL && sent < LINES_FULL + 4 * sizeof(lump));
	assert_int_equal(write(ours[0], "asked\n", 6), 6);
	assert_int_equal(watch_add(s.loop, ours[1], EPOLLIN, on_ours, NULL, &watch, &e), 0);
	s.wakes = 1;
	turn(&s);
	assert_true(got >= sent - LINES_FULL / 2 - 65536);
	watch_end(&watch);
	lines_close(s.lines);
	finish(&s, "full room <asked>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_pieces),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(end_of_input_and_of_output),
		cmocka_unit_test(a_line_without_end),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test(somebody_reads_late),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
