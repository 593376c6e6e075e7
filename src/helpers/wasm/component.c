/* SPDX-License-Identifier: Apache-2.0 */
/* Runs components of WASI preview 2: those that export wasi:cli/run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/start.h"

#define INTERFACE "wasi:cli/run@0.2."
/* Of its minor versions the engine serves each by the newest; a component exports one of them. */
#define NEWEST 20

static bool find_run(struct started *p, const wasmtime_component_instance_t *instance,
		     wasmtime_component_func_t *ret)
{
	bool found = false;

	for (int minor = 0; !found && minor <= NEWEST; minor++) {
		char name[sizeof(INTERFACE) + 4];
		int n = snprintf(name, sizeof(name), INTERFACE "%d", minor);
		wasmtime_component_export_index_t *interface =
			wasmtime_component_instance_get_export_index(instance, p->context, NULL, name,
								     (size_t)n);
		wasmtime_component_export_index_t *run =
			interface ? wasmtime_component_instance_get_export_index(instance, p->context,
										 interface, "run", 3)
				  : NULL;

		found = run && wasmtime_component_instance_get_func(instance, p->context, run, ret);
		if (run)
			wasmtime_component_export_index_delete(run);
		if (interface)
			wasmtime_component_export_index_delete(interface);
	}
	return found;
}

int start_component(wasm_engine_t *engine, const struct program *program, const struct start *s,
		    struct report *r, struct aisbx_error *e)
{
	wasmtime_component_linker_t *linker = wasmtime_component_linker_new(engine);
	struct started p = { .store = wasmtime_store_new(engine, NULL, NULL) };
	wasmtime_component_instance_t instance;
	wasmtime_component_func_t run;
	wasmtime_component_val_t result = { 0 };
	wasmtime_error_t *error;
	wasi_config_t *wasi = NULL;
	int err = start_wasi(s, &wasi, e);

	if (err < 0)
		return err;
	p.context = wasmtime_store_context(p.store);
	error = wasmtime_context_set_wasi(p.context, wasi);
	start_fuel(s, &p);
	if (!error)
		error = wasmtime_component_linker_add_wasip2(linker);
	if (!error)
		error = wasmtime_component_linker_instantiate(linker, p.context, program->component,
							      &instance);
	if (error) {
		wasm_byte_vec_t text;

		wasmtime_error_message(error, &text);
		if (memmem(text.data, text.size, "import", 6))
			buf_addf(&r->text, "import component %.*s\n", text.size < 80 ? (int)text.size : 80,
				 text.data);
		wasm_byte_vec_delete(&text);
		return engine_fail(error, "start the component", e);
	}
	if (!find_run(&p, &instance, &run))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOEXEC,
				    "the component does not export wasi:cli/run, by which a program begins: "
				    "it is a library");
	error = wasmtime_component_func_call(&run, p.context, NULL, 0, &result, 1);
	buf_addf(&r->text, "fuel %llu\n", (unsigned long long)start_fuel_used(&p));
	report_end(r, error, NULL);
	if (!error && result.kind == WASMTIME_COMPONENT_RESULT && !result.of.result.is_ok)
		r->status = 1;
	return 0;
}
