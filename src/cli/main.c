/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx: finds the operation, parses its arguments by the table, calls it, prints the result. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "base/str.h"
#include "base/value.h"
#include "cli/bar.h"
#include "cli/cli.h"
#include "cli/render_common.h"
#include "op/line.h"
#include "base/shell_words.h"
#include "cli/foreign.h"
#include "cli/color.h"
#include "cli/fold.h"
#include "cli/layer_bars.h"
#include "cli/question.h"
#include "cli/remote.h"
#include "sys/fault.h"

/* Usage errors exit as aisbx's own failures do: 125 can be told from the command's status. */
#define EXIT_AISBX 125
/* Operations that can be suggested. */
#define MAX_NAMES 256

static void print_json(const json_t *value)
{
	op_round((json_t *)value);
	json_dumpf(value, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | VALUE_REALS);
	fputc('\n', stdout);
}

static int tell_error(const struct cli_common *common, const struct aisbx_error *e, int exit_status)
{
	if (common->json) {
		json_t *j = json_pack("{s:s, s:{s:s, s:s, s:i, s:s}}", "status", "error", "error", "area",
				      aisbx_area_name(e->area), "code", strerrorname_np(-e->code), "errno",
				      -e->code, "text", e->text);

		if (!j) /* the text quotes something that is no UTF-8 */
			j = json_pack("{s:s, s:{s:s, s:i}}", "status", "error", "error", "area",
				      aisbx_area_name(e->area), "errno", -e->code);
		print_json(j);
		json_decref(j);
	} else {
		fprintf(stderr, "%saisbx:%s ", paint_on(stderr, RED), paint_on(stderr, PLAIN));
		cli_print_safe(stderr, e->text);
		fprintf(stderr, "\n");
	}
	return exit_status;
}

/* "profile ls" for the words "profile" and "ls"; RET_WORDS: how many words it took. */
static const struct op *find_words(char **words, int *ret_words)
{
	const struct op *op = op_by_name(words[0]);
	char both[64];

	*ret_words = 1;
	if (op || !words[1] || snprintf(both, sizeof(both), "%s %s", words[0], words[1]) >= (int)sizeof(both))
		return op;
	*ret_words = 2;
	return op_by_name(both);
}

/* What may follow WORD, the first of two; without WORD, what may come first. Texts are put into MEM. */
static size_t names_with(const char *word, const char *names[MAX_NAMES], char mem[MAX_NAMES][24])
{
	size_t n = 0, len = word ? strlen(word) : 0;

	for (size_t i = 0; ops[i] && n < MAX_NAMES; i++) {
		const char *name = ops[i]->name;

		if (word && (strncmp(name, word, len) != 0 || name[len] != ' '))
			continue;
		snprintf(mem[n], sizeof(mem[n]), "%.*s", (int)(word ? 23 : strcspn(name, " ")),
			 word ? name + len + 1 : name);
		names[n] = mem[n];
		n++;
	}
	return n;
}

/* What may have been meant: a word of another tool, a command without "run", or one of N names written wrong.
 */
static void hint_operation(char **words, const char *const *names, size_t n, struct aisbx_error *e)
{
	const char *ours = foreign_operation(words[0]), *near = str_nearest(words[0], names, n);
	char command[200];
	size_t n_words = 0;

	while (words[n_words])
		n_words++;
	shell_words(words, n_words, command, sizeof(command));
	if (ours)
		aisbx_hint(e, "%s", ours);
	else if (words[0][0] == '-')
		aisbx_hint(e, "options stand behind the operation: aisbx OPERATION %s", command);
	else if (strchr(words[0], ' '))
		aisbx_hint(e, "a command is run in a box with: aisbx run -- %s", words[0]);
	else if (foreign_is_program(words[0]))
		aisbx_hint(e, "to run it in a box: aisbx run -- %s", command);
	else if (near)
		aisbx_hint(e, "did you mean '%s'?", near);
	else
		aisbx_hint(e, "'aisbx help all' lists them; to run a command in a box: aisbx run -- COMMAND");
}

static const struct op *find_op(char **words, int *ret_words, struct aisbx_error *e)
{
	const struct op *op = find_words(words, ret_words);
	const char *names[MAX_NAMES], *near = NULL;
	char mem[MAX_NAMES][24];
	size_t n;

	if (op)
		return op;
	n = names_with(words[0], names, mem);
	if (n) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "'%s' needs one of these words:", words[0]);
		for (size_t i = 0; i < n; i++) {
			strncat(e->text, i ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
			strncat(e->text, names[i], sizeof(e->text) - strlen(e->text) - 1);
		}
		near = words[1] ? str_nearest(words[1], names, n) : NULL;
		if (words[1] && foreign_second(words[0], words[1]))
			aisbx_hint(e, "%s", foreign_second(words[0], words[1]));
		else if (near)
			aisbx_hint(e, "did you mean '%s'?", near);
		return NULL;
	}
	n = names_with(NULL, names, mem);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "there is no operation '%.100s'",
		     words[0]);
	hint_operation(words, names, n, e);
	return NULL;
}

/* Who reads what comes before the result. */
struct reader {
	const struct op *op;
	const struct cli_common *common;
};

static void emit(struct op_context *ctx, const json_t *item)
{
	const struct reader *c = ctx->face;
	const json_t *pinning = json_object_get(item, "pinning");

	if (pinning) /* the bar shows it */
		return;
	if (json_object_get(item, "progress")) {
		if (!c->common->json && !c->common->quiet)
			layer_bars_take(json_object_get(item, "progress"));
		return;
	}
	bar_clear();
	if (c->common->json)
		print_json(item);
	else
		cli_render(c->op, c->common, item);
	fflush(stdout); /* what fails stays noted in the stream, see finish() */
}

/* Somebody who reads no further has what they wanted. */
static bool reader_left(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* What could not be written was not told, and that is no success. */
static int finish(int status)
{
	int err;

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	err = errno;
	if (err == EPIPE || reader_left())
		return status;
	fprintf(stderr, "aisbx: write to standard output: %s; the rest of the output is lost\n",
		err ? strerror(err) : "it failed");
	return status ? status : EXIT_AISBX;
}

/* A box that was not named: a person is told which one it is. */
static void tell_box(const struct cli_common *common, const struct op_line *line)
{
	if (line->box[0] && !common->json && !common->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "%saisbx: in box %s%s\n", cli_colour(stderr) ? DIM : "", line->box,
			cli_colour(stderr) ? PLAIN : "");
}

/* Calls it, and where a person must be asked asks. No result: everything has been told. */
static int perform(const struct op *op, struct op_context *ctx, const struct cli_common *common,
		   const json_t *args, struct op_line *line, json_t **result, struct aisbx_error *e)
{
	int r;

	if (!common->json && op == &op_promote && op_flag(args, "review"))
		return question_review(ctx, args, result, e);
	r = op_call(op, ctx, args, result, e);
	if (r == 0)
		r = op_line_end(line, *result, e);
	if (r == 0 && !common->json && op->asks)
		r = op == &op_promote ? question_stopped(ctx, args, NULL, result, e)
				      : cli_ask(ctx, result, e);
	return r;
}

/* Findings of the doctor are sentences, and places of settings are long; other results fit, or have lines of
 * their own that stay whole. */
static void render(const struct op *op, const struct cli_common *common, const json_t *result)
{
	FILE *out = stdout;

	if (op->view == VIEW_DOCTOR || op->view == VIEW_PROFILE_EXPLAIN || op->view == VIEW_TRY)
		fold_begin(&stdout, STDOUT_FILENO);
	cli_render(op, common, result);
	fold_end(&stdout, out);
}

/* ABOUT NULL: of all operations. */
static int help(const struct op *about, bool all, FILE *to)
{
	FILE *folded = to == stdout ? fold_open(STDOUT_FILENO) : NULL, *out = folded ? folded : to;

	if (about)
		cli_help_op(about, folded != NULL, out);
	else
		cli_help(all, out);
	if (folded)
		fclose(folded);
	return to == stderr ? EXIT_AISBX : 0;
}

/* "image --help", "help image": about operations of two words, of which there is only the first. */
static bool asks_for_words(char **words)
{
	const char *first = strcmp(words[0], "help") ? words[0] : words[1];
	bool asks = words[1] && !words[2] && (first == words[1] || str_is_one_of(words[1], "--help|-h|help"));

	return asks && !op_by_name(first) && cli_has_words(first);
}

static int help_words(const char *first)
{
	FILE *folded = fold_open(STDOUT_FILENO);

	cli_help_words(first, folded ? folded : stdout);
	if (folded)
		fclose(folded);
	return 0;
}

static int call(const struct op *op, char **words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct cli_common common = { 0 };
	struct reader reader = { op, &common };
	json_t *args = NULL, *result = NULL;
	char cwd[PATH_MAX];
	scoped(op_line_finish) struct op_line line = { 0 };
	struct op_context ctx = { .by.stdin_fd = STDIN_FILENO,
				  .by.out_fds = { STDOUT_FILENO, STDERR_FILENO },
				  .by.cwd = cwd,
				  .emit = emit,
				  .face = &reader,
				  .by.env = (const char *const *)environ };
	int r;

	r = cli_parse(op, words, &common, &args, &e);
	if (common.help) {
		json_decref(args);
		return help(op, false, stdout);
	}
	if (r < 0)
		return tell_error(&common, &e, EXIT_AISBX);
	if (!getcwd(cwd, sizeof(cwd)) || cwd[0] != '/') {
		aisbx_fail(&e, AISBX_AREA_USAGE, errno ? errno : ENOENT, "find the current directory");
		aisbx_hint(&e, "it was removed, or may not be looked at; 'cd' to another one");
		json_decref(args);
		return tell_error(&common, &e, EXIT_AISBX);
	}
	line.before_dashes = common.before_dashes;
	r = op_line_begin(op, &ctx, args, &line, &e);
	if (r == 0)
		tell_box(&common, &line);
	if (r == 0 && op == &op_rm && line.all)
		r = cli_rm_all(&ctx, line.project, line.yes, args, &e);
	if (common.json)
		ctx.by.out_fds[0] = ctx.by.out_fds[1] = -1;
	if (!common.json && !common.quiet && op->view != VIEW_RUN)
		bar_listen();
	if (r == 0)
		r = perform(op, &ctx, &common, args, &line, &result, &e);
	layer_bars_clear();
	if (r < 0) {
		if (!common.json) /* programs get the same by every door */
			cli_hint_missing(op, args, &e);
		ctx.exit_status = tell_error(&common, &e, EXIT_AISBX);
	} else if (common.json)
		print_json(result);
	else if (result)
		render(op, &common, result);
	json_decref(args);
	json_decref(result);
	return ctx.exit_status;
}

/* A thousand boxes are a thousand locks; the customary 1,024 is only a default. A box sets its own. */
static void raise_files(void)
{
	struct rlimit have;

	if (getrlimit(RLIMIT_NOFILE, &have) == 0 && have.rlim_cur < have.rlim_max) {
		have.rlim_cur = have.rlim_max < 65536 ? have.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &have);
	}
}

static int obey(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct cli_common common = { 0 };
	const struct op *op;
	int n_words;

	if (argc >= 1 && cli_is_remote(argv + 1)) {
		cli_remote(argv, &e);
		return tell_error(&common, &e, EXIT_AISBX);
	}
	if (argc < 2)
		return help(NULL, false, stderr);
	if (cli_is_fleet(argv + 1)) {
		cli_fleet(argv, &e);
		return tell_error(&common, &e, EXIT_AISBX);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("aisbx %s\n", AISBX_VERSION);
		return 0;
	}
	if (str_is_one_of(argv[1], "--help|-h") || (!strcmp(argv[1], "help") && argc == 2))
		return help(NULL, false, stdout);
	if (argc == 3 && !strcmp(argv[1], "help") && !strcmp(argv[2], "all"))
		return help(NULL, true, stdout);
	if (!strcmp(argv[1], "__complete"))
		return cli_complete(argv + 2);
	if (asks_for_words(argv + 1))
		return help_words(strcmp(argv[1], "help") ? argv[1] : argv[2]);
	op = find_op(argv + (strcmp(argv[1], "help") ? 1 : 2), &n_words, &e);
	if (!op)
		return tell_error(&common, &e, EXIT_AISBX);
	if (!strcmp(argv[1], "help"))
		return help(op, false, stdout);
	return call(op, argv + 1 + n_words);
}

int main(int argc, char **argv)
{
	FILE *err = stderr;
	int status;

	std_fds_hold();
	fault_program("aisbx");
	raise_files();
	mallopt(M_TRIM_THRESHOLD,
		16 << 20); /* a run is short: giving pages back costs more than keeping them */
	mallopt(M_TOP_PAD, 256 << 10);
	fold_begin(&stderr, STDERR_FILENO);
	status = finish(obey(argc, argv));
	fold_end(&stderr, err);
	return status;
}
