/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx: finds the operation, lets the table parse its words, calls it, tells the result. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "sys/fault.h"

/* Usage errors exit as aisbx's own failures do: 125 can be told from the command's status. */
#define EXIT_AISBX 125

static void print_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}

static int tell_error(const struct cli_common *common, const struct aisbx_error *e, int exit_status)
{
	if (common->json) {
		json_t *j = json_pack("{s:s, s:{s:s, s:s, s:i, s:s}}", "status", "error", "error", "area",
				      aisbx_area_name(e->area), "code", strerrorname_np(-e->code), "errno", -e->code,
				      "text", e->text);

		if (!j) /* the text quotes something that is no UTF-8 */
			j = json_pack("{s:s, s:{s:s, s:i}}", "status", "error", "error", "area", aisbx_area_name(e->area),
				      "errno", -e->code);
		print_json(j);
		json_decref(j);
	} else {
		fprintf(stderr, "aisbx: ");
		cli_print_safe(stderr, e->text);
		fprintf(stderr, "\n");
	}
	return exit_status;
}

static const struct op *find_op(const char *name, struct aisbx_error *e)
{
	const struct op *op = op_by_name(name);
	const char *names[64], *near;
	size_t n = 0;

	if (op)
		return op;
	for (; ops[n] && n < 64; n++)
		names[n] = ops[n]->name;
	near = op_nearest(name, names, n);
	aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "there is no operation '%s'", name);
	if (near)
		aisbx_hint(e, "did you mean '%s'?", near);
	else
		aisbx_hint(e, "'aisbx --help' lists them");
	return NULL;
}

static int call(const struct op *op, char **words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct cli_common common = { 0 };
	json_t *args = NULL, *result = NULL;
	char cwd[PATH_MAX];
	struct op_context ctx = { .stdin_fd = STDIN_FILENO,
				  .out_fds = { STDOUT_FILENO, STDERR_FILENO },
				  .cwd = cwd,
				  .env = (const char *const *)environ };
	int r;

	r = cli_parse(op, words, &common, &args, &e);
	if (common.help) {
		json_decref(args);
		cli_help_op(op, stdout);
		return 0;
	}
	if (r < 0)
		return tell_error(&common, &e, EXIT_AISBX);
	if (!getcwd(cwd, sizeof(cwd)) || cwd[0] != '/') {
		aisbx_fail(&e, AISBX_AREA_USAGE, errno ? errno : ENOENT, "find the current directory");
		json_decref(args);
		return tell_error(&common, &e, EXIT_AISBX);
	}
	if (common.json)
		ctx.out_fds[0] = ctx.out_fds[1] = -1;
	r = op_call(op, &ctx, args, &result, &e);
	if (r < 0)
		ctx.exit_status = tell_error(&common, &e, EXIT_AISBX);
	else if (common.json)
		print_json(result);
	else
		cli_render(op, &common, result);
	json_decref(args);
	json_decref(result);
	if (fflush(stdout) != 0 && r == 0) {
		fprintf(stderr, "aisbx: write the result: %s\n", strerror(errno));
		return EXIT_AISBX;
	}
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

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct cli_common common = { 0 };
	const struct op *op;

	fault_program("aisbx");
	raise_files();
	mallopt(M_TRIM_THRESHOLD, 16 << 20); /* a run is short: giving pages back costs more than keeping them */
	mallopt(M_TOP_PAD, 256 << 10);
	if (argc < 2) {
		cli_help(stderr);
		return EXIT_AISBX;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("aisbx %s\n", AISBX_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (!strcmp(argv[1], "help") && argc == 2)) {
		cli_help(stdout);
		return 0;
	}
	op = find_op(strcmp(argv[1], "help") ? argv[1] : argv[2], &e);
	if (!op)
		return tell_error(&common, &e, EXIT_AISBX);
	if (!strcmp(argv[1], "help")) {
		cli_help_op(op, stdout);
		return 0;
	}
	return call(op, argv + 2);
}
