/* SPDX-License-Identifier: Apache-2.0 */
/* Streams over pipes: limits, back pressure, ends on either side. */
#include "support/test.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "run/stream.h"

struct pipes {
	int in[2], out[2];
};

static struct pipes make_pipes(void)
{
	struct pipes p;

	assert_int_equal(pipe2(p.in, O_CLOEXEC) | pipe2(p.out, O_CLOEXEC), 0);
	return p;
}

static void put(int fd, size_t n)
{
	char chunk[4096];

	memset(chunk, 'd', sizeof(chunk));
	while (n) {
		ssize_t done = write(fd, chunk, n < sizeof(chunk) ? n : sizeof(chunk));

		assert_true(done > 0);
		n -= (size_t)done;
	}
}

/* As the supervisor does it: moves what can be moved without waiting. Blocking in here is a failure. */
static void move_ready(struct stream *s)
{
	struct pollfd want = stream_poll(s);

	alarm(60);
	while (!stream_done(s) && want.fd >= 0 && poll(&want, 1, 0) == 1) {
		stream_move(s);
		want = stream_poll(s);
	}
	alarm(0);
}

static void moves_to_the_end(void **state)
{
	struct pipes p = make_pipes();
	struct stream s;
	char got[16];

	(void)state;
	stream_init(&s, p.in[0], p.out[1], NULL, UINT64_MAX);
	s.close_to = true;
	assert_int_equal(stream_poll(&s).fd, p.in[0]);
	assert_int_equal(stream_poll(&s).events, POLLIN);
	put(p.in[1], 5);
	move_ready(&s);
	assert_int_equal(read(p.out[0], got, sizeof(got)), 5);
	assert_false(stream_done(&s));
	close(p.in[1]);
	move_ready(&s);
	assert_true(stream_done(&s));
	assert_int_equal(read(p.out[0], got, sizeof(got)), 0); /* our end is closed, too */
	assert_int_equal(stream_poll(&s).fd, -1);
	stream_finish(&s);
	stream_finish(&s); /* twice is fine */
	close(p.out[0]);
}

static void more_than_the_limit_is_counted(void **state)
{
	struct pipes p = make_pipes();
	struct buf kept = { 0 };
	struct stream s;

	(void)state;
	stream_init(&s, p.in[0], -1, &kept, 100);
	put(p.in[1], 60);
	move_ready(&s);
	put(p.in[1], 60);
	move_ready(&s);
	put(p.in[1], 60);
	move_ready(&s);
	close(p.in[1]);
	move_ready(&s);
	assert_true(stream_done(&s));
	assert_int_equal(kept.len, 100 + strlen("\n[aisbx: 80 bytes cut here]\n"));
	assert_int_equal(s.passed, 100);
	assert_int_equal(s.dropped, 80);
	stream_finish(&s);
	buf_finish(&kept);
	close(p.out[0]);
	close(p.out[1]);
}

/* What a stream with LIMIT makes of the bytes 0..N-1 (mod 251), sent in chunks of STEP; NUL-terminated on the
 * heap. */
static char *cut(uint64_t limit, size_t n, size_t step, size_t *ret_len, uint64_t *ret_dropped)
{
	struct pipes p = make_pipes();
	struct buf kept = { 0 };
	struct stream s;

	stream_init(&s, p.in[0], -1, &kept, limit);
	for (size_t at = 0; at < n;) {
		char chunk[4096];
		size_t len = 0;

		for (; len < step && at < n; len++, at++)
			chunk[len] = (char)(at % 251);
		assert_int_equal(write(p.in[1], chunk, len), len);
		move_ready(&s);
	}
	close(p.in[1]);
	move_ready(&s);
	assert_true(stream_done(&s));
	*ret_len = kept.len;
	*ret_dropped = s.dropped;
	assert_int_equal(s.passed + s.dropped, n);
	stream_finish(&s);
	close(p.out[0]);
	close(p.out[1]);
	return buf_str(&kept);
}

/* Whatever the sizes of limit, output and writes: the first and the last bytes, and between them how many are
 * missing. */
static void head_and_tail_are_kept(void **state)
{
	static const size_t limits[] = { 1, 2, 3, 100, 101, 4096, 131072, 200000 };
	static const size_t steps[] = { 1, 7, 50, 4096 };
	static const long more[] = { -1, 0, 1, 2, 49, 50, 51, 5000, 150000 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		for (size_t j = limits[i] > 5000 ? 3 : 0; j < sizeof(steps) / sizeof(*steps); j++)
			for (size_t k = 0; k < sizeof(more) / sizeof(*more); k++) {
				size_t n = (size_t)((long)limits[i] + more[k]), len, mark = 0;
				size_t tail = limits[i] / 2 < STREAM_TAIL ? limits[i] / 2 : STREAM_TAIL,
				       head = limits[i] - tail;
				uint64_t dropped;
				char *got, words[64] = "";

				if (steps[j] < 50 && n > 6000)
					continue;
				got = cut(limits[i], n, steps[j], &len, &dropped);
				assert_int_equal(dropped, n > limits[i] ? n - limits[i] : 0);
				if (dropped && tail)
					mark = (size_t)snprintf(words, sizeof(words), STREAM_CUT,
								(unsigned long long)dropped);
				assert_int_equal(len, (dropped ? limits[i] : n) + mark);
				assert_memory_equal(got + head, words, mark);
				for (size_t at = 0; at < len; at++)
					if (at < head)
						assert_int_equal((unsigned char)got[at], at % 251);
					else if (at >= head + mark)
						assert_int_equal((unsigned char)got[at],
								 (at - mark + dropped) % 251);
				free(got);
			}
}

/* The end is written to a slow reader like everything else; one that left gets nothing, and nobody waits for
 * it. */
static void the_tail_waits_for_its_reader(void **state)
{
	struct pipes p = make_pipes();
	char *sink = malloc(1 << 20);
	size_t got = 0;
	struct stream s;

	(void)state;
	fcntl(p.in[1], F_SETPIPE_SZ, 1 << 19);
	fcntl(p.out[1], F_SETPIPE_SZ, PIPE_BUF);
	stream_init(&s, p.in[0], p.out[1], NULL, 150000);
	put(p.in[1], 400000);
	close(p.in[1]);
	while (!stream_done(&s)) {
		struct pollfd want = stream_poll(&s);

		if (poll(&want, 1, 0) == 1)
			move_ready(&s);
		else
			got += (size_t)read(p.out[0], sink + got, (1 << 20) - got);
	}
	close(p.out[1]);
	for (ssize_t n; (n = read(p.out[0], sink + got, (1 << 20) - got)) > 0;)
		got += (size_t)n;
	assert_int_equal(s.dropped, 250000);
	assert_int_equal(got, 150000 + strlen("\n[aisbx: 250000 bytes cut here]\n"));
	stream_finish(&s);
	close(p.out[0]);

	p = make_pipes();
	signal(SIGPIPE, SIG_IGN);
	stream_init(&s, p.in[0], p.out[1], NULL, 100);
	put(p.in[1], 400);
	move_ready(&s);
	close(p.out[0]);
	close(p.in[1]);
	move_ready(&s);
	assert_true(stream_done(&s));
	stream_finish(&s);
	close(p.out[1]);
	free(sink);
}

static void a_limit_of_nothing(void **state)
{
	struct pipes p = make_pipes();
	struct stream s;
	char got;

	(void)state;
	stream_init(&s, p.in[0], p.out[1], NULL, 0);
	fcntl(p.out[0], F_SETFL, O_NONBLOCK);
	put(p.in[1], 10);
	move_ready(&s);
	assert_int_equal(s.dropped, 10);
	assert_int_equal(read(p.out[0], &got, 1), -1);
	assert_int_equal(errno, EAGAIN);
	stream_finish(&s);
	close(p.in[1]);
	close(p.out[0]);
	close(p.out[1]);
}

static void a_slow_reader_holds_one_chunk_back(void **state)
{
	struct pipes p = make_pipes();
	char *sink = malloc(STREAM_ROOM);
	size_t got = 0, sent = 0;
	struct stream s;

	(void)state;
	fcntl(p.in[1], F_SETPIPE_SZ, 1 << 18);
	fcntl(p.out[1], F_SETPIPE_SZ, PIPE_BUF);
	stream_init(&s, p.in[0], p.out[1], NULL, UINT64_MAX);
	put(p.in[1], 200000);
	sent = 200000;
	close(p.in[1]);
	while (!stream_done(&s)) {
		struct pollfd want = stream_poll(&s);

		if (poll(&want, 1, 0) == 1) /* never blocks: moves only what poll promised room for */
			move_ready(&s);
		else
			got += (size_t)read(p.out[0], sink, STREAM_ROOM);
		assert_true(s.len <= STREAM_ROOM);
	}
	close(p.out[1]);
	for (ssize_t n; (n = read(p.out[0], sink, STREAM_ROOM)) > 0;)
		got += (size_t)n;
	assert_int_equal(got, sent);
	assert_int_equal(s.dropped, 0);
	stream_finish(&s);
	close(p.out[0]);
	free(sink);
}

static void a_reader_that_left_ends_the_source(void **state)
{
	struct pipes p = make_pipes();
	struct stream s;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	stream_init(&s, p.in[0], p.out[1], NULL, UINT64_MAX);
	close(p.out[0]);
	put(p.in[1], 10);
	move_ready(&s);
	assert_true(stream_done(&s));
	assert_int_equal(write(p.in[1], "x", 1), -1); /* as the command would see it without us */
	assert_int_equal(errno, EPIPE);
	stream_finish(&s);
	close(p.in[1]);
	close(p.out[1]);
}

static void nothing_to_read_yet_is_no_end(void **state)
{
	struct pipes p = make_pipes();
	struct stream s;

	(void)state;
	fcntl(p.in[0], F_SETFL, O_NONBLOCK);
	stream_init(&s, p.in[0], p.out[1], NULL, UINT64_MAX);
	stream_move(&s);
	assert_false(stream_done(&s));
	put(p.in[1], 1);
	move_ready(&s);
	assert_int_equal(s.passed, 1);
	stream_finish(&s);
	close(p.in[1]);
	close(p.out[0]);
	close(p.out[1]);
}

static void a_full_nonblocking_target_loses_nothing(void **state)
{
	struct pipes p = make_pipes();
	char got[PIPE_BUF];
	struct stream s;

	(void)state;
	fcntl(p.out[1], F_SETPIPE_SZ, PIPE_BUF);
	fcntl(p.out[1], F_SETFL, O_NONBLOCK);
	put(p.out[1], PIPE_BUF);
	stream_init(&s, p.in[0], p.out[1], NULL, UINT64_MAX);
	put(p.in[1], 7);
	stream_move(&s);
	stream_move(&s); /* EAGAIN */
	assert_int_equal(s.len - s.at, 7);
	assert_int_equal(stream_poll(&s).events, POLLOUT);
	assert_int_equal(read(p.out[0], got, sizeof(got)), PIPE_BUF);
	move_ready(&s);
	assert_int_equal(read(p.out[0], got, sizeof(got)), 7);
	stream_finish(&s);
	close(p.in[1]);
	close(p.out[0]);
	close(p.out[1]);
}

static void nothing_is_done_and_stays_so(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, -1, -1, NULL, 0);
	assert_true(stream_done(&s));
	stream_move(&s);
	assert_true(stream_done(&s));
	stream_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_to_the_end),
		cmocka_unit_test(more_than_the_limit_is_counted),
		cmocka_unit_test(head_and_tail_are_kept),
		cmocka_unit_test(the_tail_waits_for_its_reader),
		cmocka_unit_test(a_limit_of_nothing),
		cmocka_unit_test(a_slow_reader_holds_one_chunk_back),
		cmocka_unit_test(a_reader_that_left_ends_the_source),
		cmocka_unit_test(nothing_to_read_yet_is_no_end),
		cmocka_unit_test(a_full_nonblocking_target_loses_nothing),
		cmocka_unit_test(nothing_is_done_and_stays_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
