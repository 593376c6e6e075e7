/* SPDX-License-Identifier: Apache-2.0 */
/* Runs components of WASI preview 2: those that export wasi:cli/run. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/start.h"

/* The engine takes each minor version of an interface for the same. */
#define INTERFACE "wasi:cli/run@0.2.0"
#define VERSION   "@0.2."
#define NAME_MOST 80
/* More than the supervisor lists, less than it reads. */
#define IMPORTS_MOST 64

/* Whether the engine's linker could have what is imported by this name; of what, it says itself. */
static bool is_wasi(const char *name, size_t len)
{
	static const char *const packages[] = { "wasi:cli/", "wasi:clocks/", "wasi:filesystem/",
						"wasi:io/",  "wasi:random/", "wasi:sockets/" };

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (len > strlen(packages[i]) && !memcmp(name, packages[i], strlen(packages[i])))
			return memmem(name, len, VERSION, strlen(VERSION)) != NULL;
	return false;
}

/* "wasi:http/types@0.2.0" is types@0.2.0 of wasi:http; what has no package is of the world itself. */
static void tell_import(struct report *r, const char *name, size_t len)
{
	const char *slash = memchr(name, '/', len);
	size_t n = slash ? (size_t)(slash - name) : 0;

	if (slash)
		report_import(r, name, n, slash + 1, len - n - 1);
	else
		report_import(r, "world", 5, name, len);
}

static int refuse_import(const char *name, size_t len, const char *why, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, ENOSYS,
			    "the component imports '%.*s', which no program gets here: only what WASI "
			    "preview 2 has%s",
			    len < NAME_MOST ? (int)len : NAME_MOST, name, why);
}

/* All that it imports and nobody has, one by one: the engine would name the first. */
static int check_imports(wasm_engine_t *engine, const struct program *program, struct report *r,
			 struct aisbx_error *e)
{
	wasmtime_component_type_t *type = wasmtime_component_type(program->component);
	size_t n = wasmtime_component_type_import_count(type, engine);
	int lacking = 0;

	for (size_t i = 0; i < n; i++) {
		struct wasmtime_component_extern_t *found = NULL;
		const char *name;
		size_t len;

		if (!wasmtime_component_type_import_nth(type, engine, i, &name, &len, &found))
			continue;
		if (!is_wasi(name, len)) {
			if (!lacking++)
				refuse_import(name, len, "", e);
			if (lacking <= IMPORTS_MOST)
				tell_import(r, name, len);
		}
		wasmtime_component_extern_delete(found);
	}
	wasmtime_component_type_delete(type);
	return lacking ? e->code : 0;
}

/* What is imported by a name of WASI's and is something else: the engine says `NAME`, and at the end what. */
static int refuse_mismatch(const wasm_byte_vec_t *text, struct report *r, struct aisbx_error *e)
{
	const char *name = memchr(text->data, '`', text->size), *end = text->data + text->size;
	const char *close = name ? memchr(name + 1, '`', (size_t)(end - name - 1)) : NULL;

	if (!close)
		return 0;
	tell_import(r, name + 1, (size_t)(close - name - 1));
	return refuse_import(name + 1, (size_t)(close - name - 1), ", and as it has it", e);
}

/* It ran, and this is how it ended; takes the error. */
static void tell_end(struct started *p, wasmtime_error_t *error, struct report *r)
{
	buf_addf(&r->text, "fuel %llu\n", (unsigned long long)start_fuel_used(p));
	report_end(r, error, NULL);
}

/* An error when it was put together: of the engine's, or by its own code that runs then. */
static int tell_no_start(struct started *p, wasmtime_error_t *error, struct report *r, struct aisbx_error *e)
{
	wasm_byte_vec_t text;
	int status, err = 0;
	bool ran = wasmtime_error_exit_status(error, &status);
	size_t len;
	const char *cause;

	wasmtime_error_message(error, &text);
	cause = engine_cause(&text, &len);
	ran = ran || memmem(cause, len, REPORT_TRAP, strlen(REPORT_TRAP));
	if (!ran && memmem(text.data, text.size, "component imports", 17))
		err = refuse_mismatch(&text, r, e);
	wasm_byte_vec_delete(&text);
	if (ran)
		tell_end(p, error, r);
	else if (err < 0)
		wasmtime_error_delete(error);
	else
		err = engine_fail(error, "start the component", e);
	return err;
}

/* func() -> result: nothing else is what WASI means by this name. */
static bool is_run(const wasmtime_component_func_t *func, wasmtime_context_t *context)
{
	wasmtime_component_func_type_t *type = wasmtime_component_func_type(func, context);
	wasmtime_component_valtype_t result;
	bool fits = wasmtime_component_func_type_param_count(type) == 0 &&
		    wasmtime_component_func_type_result(type, &result);

	if (fits) {
		fits = result.kind == WASMTIME_COMPONENT_VALTYPE_RESULT;
		wasmtime_component_valtype_delete(&result);
	}
	wasmtime_component_func_type_delete(type);
	return fits;
}

static bool find_run(struct started *p, const wasmtime_component_instance_t *instance,
		     wasmtime_component_func_t *ret)
{
	wasmtime_component_export_index_t *interface =
		wasmtime_component_instance_get_export_index(instance, p->context, NULL, INTERFACE,
							     strlen(INTERFACE));
	wasmtime_component_export_index_t *run =
		interface ? wasmtime_component_instance_get_export_index(instance, p->context, interface,
									 "run", 3)
			  : NULL;
	bool found = run && wasmtime_component_instance_get_func(instance, p->context, run, ret) &&
		     is_run(ret, p->context);

	if (run)
		wasmtime_component_export_index_delete(run);
	if (interface)
		wasmtime_component_export_index_delete(interface);
	return found;
}

static int call_run(struct started *p, const wasmtime_component_instance_t *instance, struct report *r,
		    struct aisbx_error *e)
{
	wasmtime_component_func_t run;
	wasmtime_component_val_t result = { 0 };
	wasmtime_error_t *error;

	if (!find_run(p, instance, &run))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOEXEC,
				    "the component does not export wasi:cli/run, by which a program begins: "
				    "it is a library");
	error = wasmtime_component_func_call(&run, p->context, NULL, 0, &result, 1);
	if (!error && !result.of.result.is_ok)
		r->status = 1;
	tell_end(p, error, r);
	return 0;
}

int start_component(wasm_engine_t *engine, const struct program *program, const struct start *s,
		    struct report *r, struct aisbx_error *e)
{
	wasmtime_component_linker_t *linker;
	struct started p = { 0 };
	wasmtime_component_instance_t instance;
	wasmtime_error_t *error;
	wasi_config_t *wasi = NULL;
	int err = start_wasi(s, &wasi, e);

	if (err == 0)
		err = check_imports(engine, program, r, e);
	if (err < 0)
		return err;
	linker = wasmtime_component_linker_new(engine);
	p.store = wasmtime_store_new(engine, NULL, NULL);
	p.context = wasmtime_store_context(p.store);
	error = wasmtime_context_set_wasi(p.context, wasi);
	start_fuel(s, &p);
	if (!error)
		error = wasmtime_component_linker_add_wasip2(linker);
	if (error)
		return engine_fail(error, "prepare the program", e);
	error = wasmtime_component_linker_instantiate(linker, p.context, program->component, &instance);
	/* The process ends: taking everything apart would only take time. */
	return error ? tell_no_start(&p, error, r, e) : call_run(&p, &instance, r, e);
}
