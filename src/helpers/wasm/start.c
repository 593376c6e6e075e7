/* SPDX-License-Identifier: Apache-2.0 */
/* Makes instances of modules, and runs them. */
#include "helpers/wasm/start.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/wasm/engine.h"

/* More than any program uses in a year. */
#define FUEL_ALL (UINT64_MAX / 2)

void started_finish(struct started *p)
{
	if (p->linker)
		wasmtime_linker_delete(p->linker);
	if (p->store)
		wasmtime_store_delete(p->store);
	*p = (struct started){ 0 };
}

/* Written at once: nothing is lost by an end in the middle of a line. */
static ptrdiff_t write_to(int fd, const unsigned char *data, size_t len)
{
	int r = io_write_all(fd, data, len);

	return r < 0 ? r : (ptrdiff_t)len;
}

static ptrdiff_t write_output(void *unused, const unsigned char *data, size_t len)
{
	(void)unused;
	return write_to(STDOUT_FILENO, data, len);
}

static ptrdiff_t write_error(void *unused, const unsigned char *data, size_t len)
{
	(void)unused;
	return write_to(STDERR_FILENO, data, len);
}

static ptrdiff_t keep_output(void *ctx, const unsigned char *data, size_t len)
{
	buf_add(ctx, data, len);
	return (ptrdiff_t)len;
}

static int add_env(const struct start *s, wasi_config_t *w)
{
	size_t n = 0, k = 0;
	scoped(drop_mem) const char **names = NULL;
	scoped(drop_mem) const char **values = NULL;
	scoped(buf_finish) struct buf text = { 0 };

	while (s->env && s->env[n])
		n++;
	names = calloc(n + 1, sizeof(*names));
	values = calloc(n + 1, sizeof(*values));
	for (size_t i = 0; i < n; i++)
		buf_add(&text, s->env[i], strlen(s->env[i]) + 1);
	if (!names || !values || text.failed)
		return -ENOMEM;
	for (size_t i = 0, at = 0; i < n; i++) {
		char *equals = strchr(text.data + at, '=');

		if (equals) { /* what has no value is no variable */
			*equals = '\0';
			names[k] = text.data + at;
			values[k++] = equals + 1;
		}
		at += strlen(s->env[i]) + 1;
	}
	return wasi_config_set_env(w, k, names, values) ? 0 : -EILSEQ;
}

int start_wasi(const struct start *s, wasi_config_t **ret, struct aisbx_error *e)
{
	wasi_config_t *w = wasi_config_new();
	size_t argc = 0;
	int r = w ? 0 : -ENOMEM;

	while (s->argv[argc])
		argc++;
	if (r == 0 && !wasi_config_set_argv(w, argc, (const char **)(uintptr_t)s->argv))
		r = -EILSEQ;
	if (r == 0)
		r = add_env(s, w);
	if (r == 0)
		wasi_config_inherit_stdin(w);
	if (r == 0) {
		wasi_config_set_stdout_custom(w, s->output ? keep_output : write_output, s->output, NULL);
		wasi_config_set_stderr_custom(w, write_error, NULL, NULL);
	}
	for (size_t i = 0; r == 0 && i < s->n_dirs; i++)
		if (!wasi_config_preopen_dir(w, s->dirs[i].host, s->dirs[i].guest, s->dirs[i].is_writable)) {
			wasi_config_delete(w);
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
					    "show the directory '%s'", s->dirs[i].guest);
		}
	if (r < 0) {
		if (w)
			wasi_config_delete(w);
		return r == -EILSEQ
			       ? aisbx_refuse(
					 e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
					 "an argument or variable of a WebAssembly program has to be UTF-8")
			       : aisbx_fail(e, AISBX_AREA_RUN, -r, "prepare the program");
	}
	*ret = w;
	return 0;
}

void start_fuel(const struct start *s, struct started *p)
{
	p->fuel = s->fuel ? s->fuel : FUEL_ALL;
	wasmtime_error_t *error = wasmtime_context_set_fuel(p->context, p->fuel);

	if (error)
		wasmtime_error_delete(error);
}

uint64_t start_fuel_used(struct started *p)
{
	uint64_t left = 0;
	wasmtime_error_t *error = wasmtime_context_get_fuel(p->context, &left);

	if (error)
		wasmtime_error_delete(error);
	return p->fuel - left;
}

/* More than the supervisor lists, less than it reads. */
#define IMPORTS_MOST 64

/* All that it imports and nobody has, one by one: the engine would name the first. */
static int check_imports(const struct program *program, struct started *p, struct report *r,
			 struct aisbx_error *e)
{
	wasm_importtype_vec_t list;
	int lacking = 0;

	wasmtime_module_imports(program->module, &list);
	for (size_t i = 0; i < list.size; i++) {
		const wasm_name_t *module = wasm_importtype_module(list.data[i]),
				  *name = wasm_importtype_name(list.data[i]);
		wasmtime_extern_t found;

		if (wasmtime_linker_get(p->linker, p->context, module->data, module->size, name->data,
					name->size, &found)) {
			wasmtime_extern_delete(&found);
			continue;
		}
		if (!lacking++)
			aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, ENOSYS,
				     "the module imports '%.*s' of '%.*s', which no program gets here: only "
				     "what WASI "
				     "preview 1 has, without sockets",
				     (int)(name->size < 80 ? name->size : 80), name->data,
				     (int)(module->size < 80 ? module->size : 80), module->data);
		if (lacking <= IMPORTS_MOST)
			report_import(r, module->data, module->size, name->data, name->size);
	}
	wasm_importtype_vec_delete(&list);
	return lacking ? e->code : 0;
}

/* The engine's own takes no status above 125; other programs end with what they like. */
static wasm_trap_t *proc_exit(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in, size_t n_in,
			      wasmtime_val_t *out, size_t n_out)
{
	struct started *p = env;

	(void)caller;
	(void)n_in;
	(void)out;
	(void)n_out;
	p->has_ended = true;
	p->status = (uint32_t)in[0].of.i32;
	return wasmtime_trap_new("exit", 4);
}

static wasmtime_error_t *define_exit(struct started *p)
{
	wasm_functype_t *type = wasm_functype_new_1_0(wasm_valtype_new_i32());
	wasmtime_error_t *error;

	wasmtime_linker_allow_shadowing(p->linker, true);
	error = wasmtime_linker_define_func(p->linker, "wasi_snapshot_preview1", 22, "proc_exit", 9, type,
					    proc_exit, p, NULL);
	wasmtime_linker_allow_shadowing(p->linker, false);
	wasm_functype_delete(type);
	return error;
}

static int set_up(wasm_engine_t *engine, const struct start *s, struct started *ret, struct aisbx_error *e)
{
	wasi_config_t *wasi = NULL;
	wasmtime_error_t *error = NULL;
	int r = start_wasi(s, &wasi, e);

	if (r < 0)
		return r;
	ret->store = wasmtime_store_new(engine, NULL, NULL);
	ret->linker = wasmtime_linker_new(engine);
	if (!ret->store || !ret->linker) {
		wasi_config_delete(wasi);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare the program");
	}
	ret->context = wasmtime_store_context(ret->store);
	error = wasmtime_context_set_wasi(ret->context, wasi);
	start_fuel(s, ret);
	if (!error)
		error = wasmtime_linker_define_wasi(ret->linker);
	if (!error)
		error = define_exit(ret);
	if (!error && s->language && s->language->define)
		error = s->language->define(s, ret);
	return error ? engine_fail(error, "prepare the program", e) : 0;
}

/* RET_ERROR, RET_TRAP: as of a call, for a module may say that some of it runs now. */
static int make_instance(wasm_engine_t *engine, const struct program *program, const struct start *s,
			 struct started *ret, struct report *r, wasmtime_error_t **ret_error,
			 wasm_trap_t **ret_trap, struct aisbx_error *e)
{
	int err;

	*ret = (struct started){ 0 };
	*ret_error = NULL;
	*ret_trap = NULL;
	err = set_up(engine, s, ret, e);
	if (err == 0)
		err = check_imports(program, ret, r, e);
	if (err == 0)
		*ret_error = wasmtime_linker_instantiate(ret->linker, ret->context, program->module,
							 &ret->instance, ret_trap);
	return err;
}

int start_instance(wasm_engine_t *engine, const struct program *program, const struct start *s,
		   struct started *ret, struct report *r, struct aisbx_error *e)
{
	wasm_trap_t *trap;
	wasmtime_error_t *error;
	int err = make_instance(engine, program, s, ret, r, &error, &trap, e);

	if (error)
		err = engine_fail(error, "start the module", e);
	else if (trap)
		err = engine_fail_trap(trap, "start the module", e);
	if (err < 0)
		started_finish(ret);
	return err;
}

int start_call(struct started *p, const char *name, wasmtime_error_t **ret_error, wasm_trap_t **ret_trap,
	       struct aisbx_error *e)
{
	wasmtime_extern_t found;

	*ret_error = NULL;
	*ret_trap = NULL;
	if (!wasmtime_instance_export_get(p->context, &p->instance, name, strlen(name), &found) ||
	    found.kind != WASMTIME_EXTERN_FUNC)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOEXEC,
			"the module exports no function '%s', by which a program begins: it is a library",
			name);
	*ret_error = wasmtime_func_call(p->context, &found.of.func, NULL, 0, NULL, 0, ret_trap);
	return 0;
}

/* It ran, and this is how it ended; takes both. */
static void tell_end(const struct start *s, struct started *p, wasmtime_error_t *error, wasm_trap_t *trap,
		     struct report *r)
{
	buf_addf(&r->text, "fuel %llu\n", (unsigned long long)start_fuel_used(p));
	if (p->has_ended) { /* what came of unwinding it is no news */
		r->status = (int)(p->status & 0xff);
		if (trap)
			wasm_trap_delete(trap);
		if (error)
			wasmtime_error_delete(error);
		return;
	}
	if (!error && !trap && s->language && s->language->status)
		r->status = s->language->status();
	report_end(r, error, trap);
}

int start_run(wasm_engine_t *engine, const struct program *program, const struct start *s, struct report *r,
	      struct aisbx_error *e)
{
	struct started p;
	wasmtime_error_t *error;
	wasm_trap_t *trap;
	int err, status;

	if (program->component)
		return start_component(engine, program, s, r, e);
	err = make_instance(engine, program, s, &p, r, &error, &trap, e);
	if (err == 0 && !error && !trap && s->ready)
		err = s->ready(&p, s->ready_ctx, e);
	if (err == 0 && error && !p.has_ended && !wasmtime_error_exit_status(error, &status))
		err = engine_fail(error, "start the module", e); /* nothing of it ran */
	else if (err == 0 && !error && !trap && s->language && s->language->run)
		s->language->run(s, &p, &error, &trap);
	else if (err == 0 && !error && !trap)
		err = start_call(&p, "_start", &error, &trap, e);
	if (err == 0)
		tell_end(s, &p, error, trap, r);
	/* The process ends: taking everything apart would only take time. */
	return err;
}
