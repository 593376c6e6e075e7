/* SPDX-License-Identifier: Apache-2.0 */
/* Children of one parent: what they say arrives whole and in order, who is told to go goes, nobody outlives
 * the parent. */
#include "support/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "flow/workers.h"

#define N 8

struct heard {
	size_t messages[N], bytes[N];
	bool wrong;
	int ended[N]; /* -1: not yet */
};

static void said(void *ctx, size_t n, const char *data, size_t len)
{
	struct heard *h = ctx;

	for (size_t i = 0; i < len; i++)
		h->wrong = h->wrong || data[i] != (char)('a' + n);
	h->messages[n]++;
	h->bytes[n] += len;
}

static void ended(void *ctx, size_t n, int status)
{
	struct heard *h = ctx;

	h->ended[n] = status;
}

static const struct worker_events events = { said, ended };

static void begin(struct workers *c, struct heard *h)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	memset(h, 0, sizeof(*h));
	for (int i = 0; i < N; i++)
		h->ended[i] = -1;
	assert_int_equal(workers_init(c, N, &events, h, &e), 0);
}

static void start(struct workers *c, worker_fn *work, size_t n)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(workers_start(c, i, work, NULL, &e), 0);
}

static void attend(struct workers *c)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	while (c->live)
		assert_int_equal(workers_wait(c, 60000, &e), 0);
}

/* Messages of no byte, of one, and of more than a pipe takes. */
static void talk(void *ctx, size_t n, struct worker_link *up)
{
	static char text[300000];

	(void)ctx;
	memset(text, 'a' + (int)n, sizeof(text));
	for (int i = 0; i < 5; i++) {
		worker_say(up, text, 0);
		worker_say(up, text, 1);
		worker_say(up, text, sizeof(text));
	}
	if (n == 3)
		_exit(7);
	if (n == 4)
		raise(SIGKILL);
}

static void all_is_heard(void **state)
{
	struct workers c;
	struct heard h;

	(void)state;
	begin(&c, &h);
	start(&c, talk, N);
	attend(&c);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(h.messages[i], 15);
		assert_int_equal(h.bytes[i], 5 * 300001);
		assert_false(workers_is_live(&c, i));
	}
	assert_false(h.wrong);
	assert_int_equal(h.ended[0], 0);
	assert_true(WIFEXITED(h.ended[3]) && WEXITSTATUS(h.ended[3]) == 7);
	assert_true(WIFSIGNALED(h.ended[4]) && WTERMSIG(h.ended[4]) == SIGKILL);
	workers_finish(&c);
}

static void stay(void *ctx, size_t n, struct worker_link *up)
{
	(void)ctx;
	if (n % 2) /* this one does not want to hear */
		for (int sig = 1; sig < 32; sig++)
			signal(sig, SIG_IGN);
	worker_say(up, "", 0);
	for (;;)
		pause();
}

static void who_is_told_to_go_goes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct workers c;
	struct heard h;

	(void)state;
	begin(&c, &h);
	start(&c, stay, 4);
	while (!h.messages[0] || !h.messages[1] || !h.messages[2] || !h.messages[3])
		assert_int_equal(workers_wait(&c, 60000, &e), 0);
	workers_cancel(&c, 0);
	workers_cancel(&c, 1);
	workers_end(&c, 2);
	workers_end(&c, 3);
	attend(&c);
	assert_int_equal(WTERMSIG(h.ended[0]), SIGTERM);
	assert_int_equal(WTERMSIG(h.ended[1]), SIGKILL);
	assert_true(WIFSIGNALED(h.ended[2]) && WTERMSIG(h.ended[2]) != SIGKILL);
	assert_int_equal(WTERMSIG(h.ended[3]), SIGKILL);
	workers_finish(&c);
}

static void signals_are_the_crews(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	sigset_t before, after;
	struct workers c;
	struct heard h;

	(void)state;
	sigprocmask(SIG_SETMASK, NULL, &before);
	begin(&c, &h);
	start(&c, stay, 1);
	raise(SIGINT);
	while (!c.interrupted)
		assert_int_equal(workers_wait(&c, 60000, &e), 0);
	assert_int_equal(c.interrupted, SIGINT);
	raise(SIGTERM); /* further ones do not end us when the crew is done */
	raise(SIGHUP);
	workers_finish(&c);
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int sig = 1; sig < 32; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

/* A parent that is killed takes them along: the pipe that they hold ends. */
static void nobody_outlives_the_parent(void **state)
{
	int fds[2];
	pid_t parent;
	char byte;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	parent = fork();
	if (parent == 0) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct workers c;
		struct heard h;

		close(fds[0]);
		begin(&c, &h);
		start(&c, stay, 4);
		while (!h.messages[0] || !h.messages[1] || !h.messages[2] || !h.messages[3])
			workers_wait(&c, 60000, &e);
		raise(SIGKILL);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
	waitpid(parent, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_heard),
		cmocka_unit_test(who_is_told_to_go_goes),
		cmocka_unit_test(signals_are_the_crews),
		cmocka_unit_test(nobody_outlives_the_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
