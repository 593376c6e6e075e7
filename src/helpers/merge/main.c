/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-merge: merges three files, compares two, or says what is ignored, as git would, request after request
 * from its standard input. A program of its own, because the static aisbx cannot contain libgit2, and because
 * the contents are not trusted. It opens no repository except the one with rules that aisbx made for it.
 */
/*
 * A request is its words, each with a NUL behind it; an answer begins with a line:
 *   merge BASE|- OURS THEIRS OUT OURS_LABEL THEIRS_LABEL   "0" clean, "1" conflicts, "2" no text, "3 REASON"
 *   diff OLD|- NEW|- OLD_LABEL NEW_LABEL                   "STATUS BYTES ADDED REMOVED", then BYTES of patch
 *   differ OLD|- NEW|- OLD_LABEL NEW_LABEL                 the same, without a look into the files
 *   ignore REPOSITORY INDEX|- N, then N paths              "0", then for each "1" (ignored) or "0"; or "3
 * REASON"
 */
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <git2.h>

#include "base/asan.h"
#include "base/std_fds.h"
#include "helpers/merge/merge.h"
#include "sys/confine.h"

#define CPU_SECONDS 30 /* for one request */
#define MAX_WORDS   6
#define IDS_FD      3 /* if it is open */
#define NO_WALLS    4 /* this exit status; FAILED is the other */

static const struct verb {
	const char *name;
	size_t words;
	void (*run)(char **words);
} verbs[] = {
	{ "merge", 6, run_merge },
	{ "diff", 4, run_diff },
	{ "differ", 4, run_differ },
	{ "ignore", 3, run_ignore },
};

static void limit(int what, rlim_t most)
{
	struct rlimit l;

	if (getrlimit(what, &l) == 0) {
		l.rlim_max = l.rlim_max < most ? l.rlim_max : most;
		l.rlim_cur = l.rlim_max;
		setrlimit(what, &l);
	}
}

/* So much more for the next request: the kernel counts from the start of the process. */
static void limit_cpu(void)
{
	struct rusage used;
	struct rlimit l;

	if (getrusage(RUSAGE_SELF, &used) == 0 && getrlimit(RLIMIT_CPU, &l) == 0) {
		l.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + CPU_SECONDS;
		l.rlim_cur = l.rlim_cur < l.rlim_max ? l.rlim_cur : l.rlim_max;
		setrlimit(RLIMIT_CPU, &l);
	}
}

static void limit_all(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, (rlim_t)1 << 30);
	signal(SIGXFSZ, SIG_IGN); /* then it is an error of write(), and the file is taken away again */
#if !WITH_ASAN                    /* its shadow alone has terabytes */
	limit(RLIMIT_AS, (rlim_t)3 << 30);
#endif
}

bool read_word(char **word, size_t *cap)
{
	ssize_t n = getdelim(word, cap, '\0', stdin);

	return n > 0 && !(*word)[n - 1];
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/*
 * The walls. DIRS are where results may be written. Without Landlock nothing is read, unless a person gave
 * that wall up; the caller says so, and tells people of it.
 */
static bool confine(const char *const *dirs)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *without = getenv("AISBX_WITHOUT");

	if (confine_self(dirs, &e) == 0 || (without && !strcmp(without, "landlock")))
		return true;
	fprintf(stderr, "aisbx-merge: %s\n", e.text);
	return false;
}

/* Files of a box may belong to subordinate ids of the user: where those are known, they can be read, and no
 * more than that. */
static bool take_ids(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (setns(IDS_FD, CLONE_NEWUSER) < 0)
		return true;
	close(IDS_FD);
	if (confine_caps(1ULL << CAP_DAC_READ_SEARCH, &e) == 0)
		return true;
	fprintf(stderr, "aisbx-merge: %s\n", e.text);
	return false;
}

int main(int argc, char **argv)
{
	static char *words[MAX_WORDS + 1];
	static size_t caps[MAX_WORDS + 1];

	(void)argc;
	std_fds_hold();
	limit_all();
	if (!take_ids())
		return NO_WALLS;
	if (!confine((const char *const *)argv + 1))
		return NO_WALLS;
	if (git_libgit2_init() < 0)
		return FAILED;
	while (read_word(&words[0], &caps[0])) {
		const struct verb *v = find_verb(words[0]);
		size_t n = 1;

		while (v && n <= v->words && read_word(&words[n], &caps[n]))
			n++;
		if (!v || n <= v->words) {
			fprintf(stderr, "aisbx-merge: '%s' is not a complete request\n", words[0]);
			return FAILED;
		}
		limit_cpu();
		v->run(words + 1);
		if (fflush(stdout) != 0)
			return FAILED;
	}
	for (size_t i = 0; i <= MAX_WORDS; i++)
		free(words[i]);
	git_libgit2_shutdown();
	return 0;
}
