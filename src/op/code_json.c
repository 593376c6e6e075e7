/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a program as JSON: the result of its run, the files it left, the error it ended with. */
#include "op/code_json.h"

#include <errno.h>
#include <string.h>

#include "op/exception.h"
#include "op/path_json.h"
#include "op/scan_json.h"

static const char *why_not(const struct outputs_file *f)
{
	if (f->secret)
		return "its name or content contains a secret that was given to the box";
	return f->error == EFBIG ? "larger than the limit for copying" : strerror(f->error);
}

/* Of a trap with what to do about it; a new reference. */
static json_t *error_json(const struct outputs_file *f)
{
	if (f->trap && !f->secret)
		return json_sprintf("a trap, so it was not copied without --yes: %s", f->trap->why);
	return f->error ? json_string(why_not(f)) : json_null();
}

static json_t *files_json(const struct outputs *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->n; i++) {
		const struct outputs_file *f = &h->files[i];
		json_t *j = json_object();

		op_set_name(j, "path", f->path);
		json_object_set_new(j, "size", json_integer((json_int_t)f->size));
		json_object_set_new(j, "media", f->media ? json_string(f->media) : json_null());
		json_object_set_new(j, "error", error_json(f));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *denied_json(const struct code_result *c)
{
	return json_pack("{s:s, s:n, s:i, s:s}", "status", "denied", "exit_code", "exit_status", 125, "error",
			 c->denied);
}

static void add_scan(const struct code_result *c, json_t *result)
{
	json_object_set_new(result, "scan", c->is_scanned ? op_scan_json(&c->scan) : json_null());
}

/* What was told of values; TEXT: of the last expression. */
static void add_results(const struct code_result *c, json_t *result)
{
	json_t *text = json_null(), *value;
	size_t i;

	json_array_foreach(c->results, i, value) if (json_is_true(json_object_get(value, "is_main_result")) &&
						     json_object_get(value, "text")) text =
		json_object_get(value, "text");
	json_object_set(result, "text", text);
	json_object_set_new(result, "results", c->results ? json_incref(c->results) : json_array());
}

static void add_files(const struct code_result *c, json_t *result)
{
	json_object_set_new(result, "files", files_json(&c->files));
	json_object_set_new(result, "files_not_listed",
			    json_integer((json_int_t)c->files.not_listed + (json_int_t)c->files.unread));
	if (c->files_error.code)
		json_object_set_new(result, "files_error", json_string(c->files_error.text));
}

/* The figures of a context; there were charts before there were results. */
static json_t *charts_json(const json_t *results)
{
	json_t *charts = json_array(), *value;
	size_t i;

	json_array_foreach(results, i, value) if (!json_is_true(json_object_get(value, "is_main_result")) &&
						  json_object_get(value, "png"))
		json_array_append(charts, json_object_get(value, "png"));
	return charts;
}

json_t *op_code_json(const struct code_request *req, const struct code_result *c)
{
	json_t *result = c->denied ? denied_json(c) : json_incref(c->report.said);
	const char *status = json_string_value(json_object_get(result, "status")),
		   *said = json_string_value(json_object_get(result, "stderr"));
	bool failed = status && !strcmp(status, "failed");

	json_object_set_new(result, "language", json_string(req->lang));
	add_scan(c, result);
	if (c->choice.driver)
		json_object_set_new(result, "driver",
				    json_pack("{s:s, s:s}", "name", c->choice.driver, "why", c->choice.why));
	add_results(c, result);
	add_files(c, result);
	json_object_set_new(result, "exception",
			    failed && said ? op_exception(req->lang, c->path, said) : json_null());
	if (json_integer_value(json_object_get(result, "exit_status")) == 127 && status &&
	    !strcmp(status, "error"))
		json_object_set_new(result, "error",
				    json_sprintf("'%s', which runs %s, is not in the box; install it, or add "
						 "its directory to PATH",
						 c->interpreter, req->lang));
	return result;
}

/* ENDED: the interpreter, by this call. */
static json_t *told(const struct code_request *req, const char *status, bool ended)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b}", "status", status, "language", req->lang, "box",
			 req->options.box, "context", req->context, "context_ended", ended);
}

/* What the interpreter said, or why it said nothing. */
static json_t *answer_json(const struct code_request *req, const struct context_result *t)
{
	json_t *j = told(req, t->status, t->ended);

	if (!t->answered) {
		json_object_set(j, "run", json_object_get(t->ran.said, "run"));
		json_object_set(j, "limit", json_object_get(t->ran.said, "limit"));
		return j;
	}
	json_object_set_new(j, "run", json_string(t->ran.run));
	json_object_set_new(j, "stdout", json_stringn(t->output[0].data, t->output[0].len));
	json_object_set_new(j, "stderr", json_stringn(t->output[1].data, t->output[1].len));
	json_object_set_new(j, "exception",
			    t->failed ? json_incref(json_object_get(t->said, "error")) : json_null());
	if (t->ended)
		json_object_set_new(j, "error",
				    json_string("the program ended the interpreter; its state is lost"));
	return j;
}

/* What ran it; null: nothing answered. */
static json_t *engine_json(const json_t *said)
{
	const char *engine = json_string_value(json_object_get(said, "engine"));

	return said ? json_string(engine && !strcmp(engine, "ipykernel") ? engine : "plain") : json_null();
}

json_t *op_context_json(const struct code_request *req, const struct code_result *c)
{
	json_t *j;

	if (req->end_context) {
		j = told(req, "ok", c->told.ended);
		json_object_set_new(j, "exit_status", json_integer(0));
		return j;
	}
	j = c->denied ? denied_json(c) : answer_json(req, &c->told);
	if (!c->denied) {
		add_results(c, j);
		json_object_set_new(j, "charts", charts_json(c->results));
		json_object_set_new(j, "engine", engine_json(c->told.said));
		add_files(c, j);
		json_object_set_new(j, "context_new", json_boolean(c->told.is_new));
		json_object_set_new(j, "exit_status", json_integer(c->told.exit_status));
	}
	add_scan(c, j);
	return j;
}
