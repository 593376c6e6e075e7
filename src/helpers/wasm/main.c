/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-wasm: runs WebAssembly. "run" is started in a box, as its command; "compile" and "prepare" outside of
 * one, behind walls of their own, and turn a module into what "run" starts from. A program of its own, so
 * that aisbx does without the engine.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/language.h"
#include "helpers/wasm/run.h"
#include "sys/confine.h"

#define MODULE_MOST (256u << 20)
/* Of what is done outside of a box; Python takes a tenth of it. */
#define PROCESSOR_MOST 600u /* seconds */
#define MEMORY_MOST    (4ull << 30)

static int read_module(int fd, struct buf *ret, struct aisbx_error *e)
{
	int r = io_read_all(fd, MODULE_MOST, ret);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "read the module");
	return ret->len <= MODULE_MOST ? 0
				       : aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EFBIG,
						      "the module is larger than %u MiB", MODULE_MOST >> 20);
}

static int confine(struct aisbx_error *e)
{
	static const char *const nowhere[] = { NULL };
	const struct rlimit none = { 0, 0 }, time = { PROCESSOR_MOST, PROCESSOR_MOST };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &time);
	return confine_self(nowhere, e);
}

/* From standard input to standard output. */
static int compile(struct aisbx_error *e)
{
	scoped(buf_finish) struct buf module = { 0 };
	scoped(program_finish) struct program program = { 0 };
	wasm_byte_vec_t out;
	wasm_engine_t *engine;
	const struct rlimit memory = { MEMORY_MOST, MEMORY_MOST };
	int r = confine(e);

	setrlimit(RLIMIT_AS, &memory);
	if (r == 0)
		r = read_module(STDIN_FILENO, &module, e);
	if (r < 0)
		return r;
	engine = engine_create(true);
	if (!engine)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "set up the engine");
	r = program_compile(engine, module.data, module.len, &program, e);
	if (r == 0)
		r = program_serialize(&program, &out, e);
	if (r == 0)
		r = io_write_all(STDOUT_FILENO, out.data, out.size);
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_RUN, -r, "write what was compiled") : r;
}

/* From standard input to standard output; EXTRA: a file that the language runs before our own text, "": none.
 */
static int prepare(const char *language, const char *empty, const char *extra, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf module = { 0 }, more = { 0 }, out = { 0 };
	scoped(drop_file) FILE *file = *extra ? fopen(extra, "re") : NULL;
	const struct start_language *l = language_by_name(language);
	int r = l ? 0
		  : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "there is no language '%s'",
				 language);

	if (r == 0 && *extra && (!file || io_read_all(fileno(file), MODULE_MOST, &more) < 0))
		r = aisbx_fail(e, AISBX_AREA_RUN, errno, "read '%s'", extra);
	if (r == 0)
		r = confine(e);
	if (r == 0)
		r = read_module(STDIN_FILENO, &module, e);
	if (r == 0)
		r = language_prepare(l, module.data, module.len, empty, more.data, &out, e);
	if (r == 0 && (r = io_write_all(STDOUT_FILENO, out.data, out.len)) < 0)
		aisbx_fail(e, AISBX_AREA_RUN, -r, "write what was prepared");
	return r;
}

/* One line. Names of a module are in it: nothing in them is for a terminal. */
static void show(struct aisbx_error *e)
{
	for (char *c = e->text; *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
	fprintf(stderr, "%s\n", e->text);
}

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r;

	std_fds_hold();
	if (argc >= 2 && !strcmp(argv[1], "run"))
		return run_main(argc - 2, argv + 2);
	if (argc == 2 && !strcmp(argv[1], "compile"))
		r = compile(&e);
	else if (argc == 5 && !strcmp(argv[1], "prepare"))
		r = prepare(argv[2], argv[3], argv[4], &e);
	else
		r = aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "aisbx-wasm is started by aisbx; use 'aisbx run --driver wasm'");
	if (r < 0)
		show(&e);
	return r < 0;
}
