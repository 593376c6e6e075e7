/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, texts and behaviour are what the conformance suite needs for each scenario; JSON is written with '
 * for ".
 */
#include "server/mcp/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "server/mcp/envelope.h"

#define PNG                                                                                          \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5Erk" \
	"Jggg=="
#define WAV          "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
#define NO_ARGUMENTS "{'type':'object'}"
/* Between the things that some of them tell. */
#define PAUSE_MS 50

static json_t *parse(const char *text)
{
	scoped(drop_mem) char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		if (*c == '\'')
			*c = '"';
	return copy ? json_loads(copy, 0, NULL) : NULL;
}

static void reply_text(struct mcp_request *r, const char *text)
{
	mcp_reply(r, json_pack("{s:[{s:s, s:s}]}", "content", "type", "text", "text", text));
}

/* TEXT with the JSON of what was answered behind it. */
static void reply_answers(struct mcp_request *r, const char *text, const json_t *answers)
{
	scoped(drop_mem) char *dump = json_dumps(answers, JSON_COMPACT);
	json_t *whole = json_sprintf("%s%s", text, dump ? dump : "");

	mcp_reply(r, json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text", whole));
}

static const char *argument(const struct mcp_request *r, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(json_object_get(r->params, "arguments"), name));

	return text ? text : otherwise;
}

static bool need_tasks(struct mcp_request *r)
{
	if (mcp_can_tasks(r))
		return true;
	mcp_fail(r, MCP_NO_CAPABILITY,
		 json_pack("{s:{s:{s:{}}}}", "requiredCapabilities", "extensions", MCP_TASKS),
		 "this tool is only for clients that know tasks");
	return false;
}

static void logging(struct mcp_request *r)
{
	static const char *const texts[] = { "Tool execution started", "Tool processing data",
					     "Tool execution completed" };

	mcp_log(r, MCP_INFO, json_string(texts[r->step++]));
	if (r->step < 3)
		mcp_later(r, PAUSE_MS, logging);
	else
		reply_text(r, "It has logged three messages.");
}

static void progress(struct mcp_request *r)
{
	mcp_progress(r, 50.0 * r->step++, 100, NULL);
	if (r->step < 3)
		mcp_later(r, PAUSE_MS, progress);
	else
		reply_text(r, "It has told its progress three times.");
}

static void change_tools(struct mcp_request *r)
{
	mcp_list_changed(r->session, MCP_TOOLS);
	reply_text(r, "The list of tools has changed.");
}

static void change_prompts(struct mcp_request *r)
{
	mcp_list_changed(r->session, MCP_PROMPTS);
	reply_text(r, "The list of prompts has changed.");
}

static void reconnected(struct mcp_request *r)
{
	reply_text(r, "Reconnection test completed.");
}

/* The client is cut off and must come back for the answer. */
static void reconnection(struct mcp_request *r)
{
	if (r->channel && r->channel->part)
		r->channel->part(r->channel);
	mcp_later(r, 2 * PAUSE_MS, reconnected);
}

#define ASK_NAME                                                            \
	"{'method':'elicitation/create','params':{'message':'What is your " \
	"name?','requestedSchema':{'type':'object',"                        \
	"'properties':{'name':{'type':'string'}},'required':['name']}}}"
#define ASK_OK                                                        \
	"{'method':'elicitation/create','params':{'message':'Please " \
	"confirm','requestedSchema':{'type':'object',"                \
	"'properties':{'ok':{'type':'boolean'}},'required':['ok']}}}"
#define ASK_MODEL(text)                                                                              \
	"{'method':'sampling/"                                                                       \
	"createMessage','params':{'messages':[{'role':'user','content':{'type':'text','text':'" text \
	"'}}],'maxTokens':100}}"
#define ASK_ROOTS "{'method':'roots/list','params':{}}"

static void tell_answers(struct mcp_request *r, const json_t *answers)
{
	reply_answers(r, "Answers: ", answers);
}

static void sampling(struct mcp_request *r)
{
	mcp_ask(r,
		json_pack("{s:{s:s, s:{s:[{s:s, s:{s:s, s:s}}], s:i}}}", "sample", "method",
			  "sampling/createMessage", "params", "messages", "role", "user", "content", "type",
			  "text", "text", argument(r, "prompt", "Say something."), "maxTokens", 100),
		false, tell_answers);
}

static void missing_capability(struct mcp_request *r)
{
	mcp_ask(r, parse("{'sample':" ASK_MODEL("Say something.") "}"), false, tell_answers);
}

static void elicitation(struct mcp_request *r)
{
	json_t *questions = parse("{'user':{'method':'elicitation/"
				  "create','params':{'message':'','requestedSchema':{'type':'object',"
				  "'properties':{'username':{'type':'string','description':'Your name'},"
				  "'email':{'type':'string','description':'Your "
				  "address'}},'required':['username','email']}}}}");

	json_object_set_new(json_object_get(json_object_get(questions, "user"), "params"), "message",
			    json_string(argument(r, "message", "Who are you?")));
	mcp_ask(r, questions, false, tell_answers);
}

static void defaults(struct mcp_request *r)
{
	mcp_ask(r,
		parse("{'user':{'method':'elicitation/create','params':{'message':'Check "
		      "these','requestedSchema':{'type':'object','properties':{"
		      "'name':{'type':'string','default':'John Doe'},'age':{'type':'integer','default':30},"
		      "'score':{'type':'number','default':95.5},"
		      "'status':{'type':'string','enum':['active','inactive','pending'],'default':'active'},"
		      "'verified':{'type':'boolean','default':true}}}}}}"),
		false, tell_answers);
}

static void enums(struct mcp_request *r)
{
	mcp_ask(r,
		parse("{'user':{'method':'elicitation/"
		      "create','params':{'message':'Choose','requestedSchema':{'type':'object','properties':{"
		      "'untitledSingle':{'type':'string','enum':['option1','option2','option3']},"
		      "'titledSingle':{'type':'string','oneOf':[{'const':'value1','title':'First Option'},"
		      "{'const':'value2','title':'Second Option'},{'const':'value3','title':'Third "
		      "Option'}]},"
		      "'legacyEnum':{'type':'string','enum':['opt1','opt2','opt3'],"
		      "'enumNames':['Option One','Option Two','Option Three']},"
		      "'untitledMulti':{'type':'array','items':{'type':'string','enum':['option1','option2','"
		      "option3']}},"
		      "'titledMulti':{'type':'array','items':{'anyOf':[{'const':'value1','title':'First "
		      "Choice'},"
		      "{'const':'value2','title':'Second Choice'},{'const':'value3','title':'Third "
		      "Choice'}]}}}}}}}"),
		false, tell_answers);
}

static void greet_answer(struct mcp_request *r, const json_t *answers)
{
	const json_t *content = json_object_get(json_object_get(answers, "user_name"), "content");
	const char *name = json_string_value(json_object_get(content, "name"));
	json_t *text = json_sprintf("Hello, %s!", name ? name : "whoever you are");

	reply_text(r, json_string_value(text));
	json_decref(text);
}

static void input_name(struct mcp_request *r)
{
	mcp_ask(r, parse("{'user_name':" ASK_NAME "}"), false, greet_answer);
}

static void input_model(struct mcp_request *r)
{
	mcp_ask(r, parse("{'capital_question':" ASK_MODEL("What is the capital of France?") "}"), false,
		tell_answers);
}

static void input_roots(struct mcp_request *r)
{
	mcp_ask(r, parse("{'client_roots':" ASK_ROOTS "}"), false, tell_answers);
}

static void tell_state(struct mcp_request *r, const json_t *answers)
{
	reply_answers(r, "state-ok: ", answers);
}

static void input_state(struct mcp_request *r)
{
	mcp_ask(r, parse("{'confirm':" ASK_OK "}"), true, tell_state);
}

static void input_many(struct mcp_request *r)
{
	mcp_ask(r,
		parse("{'user_name':" ASK_NAME
		      ",'greeting':" ASK_MODEL("Say hello.") ",'client_roots':" ASK_ROOTS "}"),
		true, tell_answers);
}

static void second_round(struct mcp_request *r, const json_t *answers)
{
	(void)answers;
	mcp_ask(r,
		parse("{'step2':{'method':'elicitation/create','params':{'message':'Step 2: What is your "
		      "favorite color?','requestedSchema':"
		      "{'type':'object','properties':{'color':{'type':'string'}},'required':['color']}}}}"),
		true, tell_answers);
}

static void input_rounds(struct mcp_request *r)
{
	mcp_ask(r, parse("{'step1':" ASK_NAME "}"), true, second_round);
}

static void input_possible(struct mcp_request *r)
{
	json_t *questions = json_object();

	if (mcp_can(r, "elicitation"))
		json_object_set_new(questions, "user_name", parse(ASK_NAME));
	if (mcp_can(r, "sampling"))
		json_object_set_new(questions, "greeting", parse(ASK_MODEL("Say hello.")));
	mcp_ask(r, questions, false, tell_answers);
}

static void greet(struct mcp_request *r)
{
	json_t *text = json_sprintf("Hello, %s!", argument(r, "name", "you"));

	reply_text(r, json_string_value(text));
	json_decref(text);
}

static void computed(struct mcp_request *r)
{
	reply_text(r, "It has computed.");
}

static void compute(struct mcp_request *r)
{
	json_int_t seconds =
		json_integer_value(json_object_get(json_object_get(r->params, "arguments"), "seconds"));

	if (mcp_can_tasks(r))
		mcp_task_make(r);
	mcp_later(r, (uint64_t)(seconds > 0 && seconds < 3600 ? seconds : 0) * 1000, computed);
}

static void failed(struct mcp_request *r)
{
	mcp_reply(r, parse("{'content':[{'type':'text','text':'The job failed, as it always "
			   "does.'}],'isError':true}"));
}

static void fail_job(struct mcp_request *r)
{
	if (need_tasks(r) && mcp_task_make(r))
		mcp_later(r, 1000, failed);
}

static void broken(struct mcp_request *r)
{
	mcp_fail(r, MCP_INTERNAL, NULL, "the job broke, as it always does");
}

static void break_job(struct mcp_request *r)
{
	if (need_tasks(r) && mcp_task_make(r))
		mcp_later(r, PAUSE_MS, broken);
}

static void confirm(struct mcp_request *r)
{
	if (mcp_can_tasks(r))
		mcp_task_make(r);
	mcp_ask(r, parse("{'confirm':" ASK_OK "}"), false, tell_answers);
}

static void ask_two(struct mcp_request *r)
{
	if (mcp_can_tasks(r))
		mcp_task_make(r);
	mcp_ask(r, parse("{'first':" ASK_OK ",'second':" ASK_OK "}"), false, tell_answers);
}

static void greet_later(struct mcp_request *r)
{
	greet_answer(r, r->answers);
}

static void escalate(struct mcp_request *r, const json_t *answers)
{
	(void)answers;
	if (mcp_task_make(r))
		mcp_later(r, PAUSE_MS, greet_later);
	else
		greet_later(r);
}

static void ask_then_task(struct mcp_request *r)
{
	if (need_tasks(r))
		mcp_ask(r, parse("{'user_name':" ASK_NAME "}"), false, escalate);
}

static const struct tool {
	const char *name, *what;
	const char *schema; /* NULL: no arguments */
	const char *result; /* always the same; NULL: of `handle` */
	mcp_fn handle;
} tools[] = {
	{ "test_simple_text", "Gives a text", NULL,
	  "{'content':[{'type':'text','text':'This is a simple text response for testing.'}]}", NULL },
	{ "test_image_content", "Gives an image", NULL,
	  "{'content':[{'type':'image','data':'" PNG "','mimeType':'image/png'}]}", NULL },
	{ "test_audio_content", "Gives a sound", NULL,
	  "{'content':[{'type':'audio','data':'" WAV "','mimeType':'audio/wav'}]}", NULL },
	{ "test_embedded_resource", "Gives a resource", NULL,
	  "{'content':[{'type':'resource','resource':{'uri':'test://embedded-resource','mimeType':'text/"
	  "plain',"
	  "'text':'This is an embedded resource content.'}}]}",
	  NULL },
	{ "test_multiple_content_types", "Gives a text, an image and a resource", NULL,
	  "{'content':[{'type':'text','text':'Multiple content types test:'},"
	  "{'type':'image','data':'" PNG "','mimeType':'image/png'},"
	  "{'type':'resource','resource':{'uri':'test://mixed-content-resource','mimeType':'application/"
	  "json',"
	  "'text':'{\\'test\\':\\'data\\',\\'value\\':123}'}}]}",
	  NULL },
	{ "test_error_handling", "Fails", NULL,
	  "{'content':[{'type':'text','text':'This tool intentionally returns an error for "
	  "testing'}],'isError':true}",
	  NULL },
	{ "test_tool_with_logging", "Logs", NULL, NULL, logging },
	{ "test_logging_tool", "Logs", NULL, NULL, logging },
	{ "test_tool_with_progress", "Tells its progress", NULL, NULL, progress },
	{ "test_sampling", "Asks the client's model",
	  "{'type':'object','properties':{'prompt':{'type':'string'}},'required':['prompt']}", NULL,
	  sampling },
	{ "test_missing_capability", "Needs sampling", NULL, NULL, missing_capability },
	{ "test_elicitation", "Asks the person",
	  "{'type':'object','properties':{'message':{'type':'string'}},'required':['message']}", NULL,
	  elicitation },
	{ "test_streaming_elicitation", "Asks the person", NULL, NULL, input_name },
	{ "test_elicitation_sep1034_defaults", "Asks with defaults", NULL, NULL, defaults },
	{ "test_elicitation_sep1330_enums", "Asks to choose", NULL, NULL, enums },
	{ "test_reconnection", "Hangs up before it answers", NULL, NULL, reconnection },
	{ "test_trigger_tool_change", "Changes the list of tools", NULL, NULL, change_tools },
	{ "test_trigger_prompt_change", "Changes the list of prompts", NULL, NULL, change_prompts },
	{ "test_input_required_result_elicitation", "Asks for a name", NULL, NULL, input_name },
	{ "test_input_required_result_sampling", "Asks a model", NULL, NULL, input_model },
	{ "test_input_required_result_list_roots", "Asks for roots", NULL, NULL, input_roots },
	{ "test_input_required_result_request_state", "Asks with a state", NULL, NULL, input_state },
	{ "test_input_required_result_tampered_state", "Asks with a state", NULL, NULL, input_state },
	{ "test_input_required_result_multiple_inputs", "Asks three things", NULL, NULL, input_many },
	{ "test_input_required_result_multi_round", "Asks twice", NULL, NULL, input_rounds },
	{ "test_input_required_result_capabilities", "Asks what can be asked", NULL, NULL, input_possible },
	{ "test_header_parameter", "Has an argument in a header",
	  "{'type':'object','properties':{'region':{'type':'string','x-mcp-header':'Region'}}}",
	  "{'content':[{'type':'text','text':'The header is right.'}]}", NULL },
	{ "json_schema_2020_12_tool", "Has a schema with all there is",
	  "{'$schema':'https://json-schema.org/draft/2020-12/schema','type':'object',"
	  "'$defs':{'address':{'$anchor':'addressDef','type':'object','properties':{'street':{'type':'string'"
	  "},'city':{'type':'string'}}}},"
	  "'properties':{'name':{'type':'string'},'address':{'$ref':'#/$defs/address'},"
	  "'contactMethod':{'type':'string','enum':['phone','email']},'phone':{'type':'string'},'email':{'"
	  "type':'string'}},"
	  "'allOf':[{'anyOf':[{'required':['phone']},{'required':['email']}]}],"
	  "'if':{'properties':{'contactMethod':{'const':'phone'}},'required':['contactMethod']},"
	  "'then':{'required':['phone']},'else':{'required':['email']},'additionalProperties':false}",
	  "{'content':[{'type':'text','text':'It was called.'}]}", NULL },
	{ "greet", "Greets", "{'type':'object','properties':{'name':{'type':'string'}}}", NULL, greet },
	{ "slow_compute", "Takes its time",
	  "{'type':'object','properties':{'seconds':{'type':'integer'},'label':{'type':'string'}}}", NULL,
	  compute },
	{ "failing_job", "Fails as a task", NULL, NULL, fail_job },
	{ "protocol_error_job", "Breaks as a task", NULL, NULL, break_job },
	{ "confirm_delete", "Asks as a task", "{'type':'object','properties':{'filename':{'type':'string'}}}",
	  NULL, confirm },
	{ "multi_input", "Asks twice as a task", NULL, NULL, ask_two },
	{ "test_tool_with_task", "Asks, then becomes a task", NULL, NULL, ask_then_task },
};

static const struct tool *find_tool(const char *name)
{
	for (size_t i = 0; name && i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

json_t *mcp_fixture_schema(const char *name)
{
	const struct tool *t = find_tool(name);

	return t ? parse(t->schema ? t->schema : NO_ARGUMENTS) : NULL;
}

void mcp_fixture_tools(json_t *list)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", tools[i].name, "description",
						      tools[i].what, "inputSchema",
						      mcp_fixture_schema(tools[i].name)));
}

bool mcp_fixture_call(struct mcp_request *r, const char *name, const json_t *arguments)
{
	const struct tool *t = find_tool(name);

	(void)arguments;
	if (!t)
		return false;
	if (t->result)
		mcp_reply(r, parse(t->result));
	else
		t->handle(r);
	return true;
}

static const struct resource_row {
	const char *uri, *name, *type;
	const char *contents; /* without uri and type */
} resources[] = {
	{ "test://static-text", "Text", "text/plain",
	  "{'text':'This is the content of the static text resource.'}" },
	{ "test://static-binary", "Bytes", "image/png", "{'blob':'" PNG "'}" },
	{ "test://watched-resource", "Watched", "text/plain", "{'text':'It can be subscribed to.'}" },
};

#define TEMPLATE_BEGIN "test://template/"
#define TEMPLATE_END   "/data"

void mcp_fixture_resources(json_t *list)
{
	/* In front: the suite reads the first one. */
	for (size_t i = sizeof(resources) / sizeof(resources[0]); i > 0; i--)
		json_array_insert_new(list, 0,
				      json_pack("{s:s, s:s, s:s}", "uri", resources[i - 1].uri, "name",
						resources[i - 1].name, "mimeType", resources[i - 1].type));
}

void mcp_fixture_templates(json_t *list)
{
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:s}", "uriTemplate", TEMPLATE_BEGIN "{id}" TEMPLATE_END,
					"name", "Template", "mimeType", "application/json"));
}

static const struct resource_row *find_resource(const char *uri)
{
	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		if (!strcmp(resources[i].uri, uri))
			return &resources[i];
	return NULL;
}

bool mcp_fixture_is_resource(const char *uri)
{
	return find_resource(uri);
}

bool mcp_fixture_read(struct mcp_request *r, const char *uri)
{
	const struct resource_row *row = find_resource(uri);
	size_t n = strlen(uri), begin = strlen(TEMPLATE_BEGIN), tail = strlen(TEMPLATE_END);
	json_t *contents;

	if (row) {
		contents = parse(row->contents);
		json_object_set_new(contents, "uri", json_string(uri));
		json_object_set_new(contents, "mimeType", json_string(row->type));
	} else if (n > begin + tail && !strncmp(uri, TEMPLATE_BEGIN, begin) &&
		   !strcmp(uri + n - tail, TEMPLATE_END)) {
		contents = json_pack("{s:s, s:s, s:o}", "uri", uri, "mimeType", "application/json", "text",
				     json_sprintf("{\"id\":\"%.*s\",\"templateTest\":true}",
						  (int)(n - begin - tail), uri + begin));
	} else {
		return false;
	}
	mcp_reply(r, json_pack("{s:[o]}", "contents", contents));
	return true;
}

static void prompt_answered(struct mcp_request *r, const json_t *answers)
{
	scoped(drop_mem) char *dump = json_dumps(answers, JSON_COMPACT);

	mcp_reply(r, json_pack("{s:[{s:s, s:{s:s, s:s}}]}", "messages", "role", "user", "content", "type",
			       "text", "text", dump ? dump : ""));
}

static const struct prompt {
	const char *name, *arguments;
	const char *messages; /* NULL: it asks first. $1 and $2 are the arguments */
} prompts[] = {
	{ "test_simple_prompt", "[]",
	  "[{'role':'user','content':{'type':'text','text':'This is a simple prompt for testing.'}}]" },
	{ "test_prompt_with_arguments",
	  "[{'name':'arg1','description':'First','required':true},{'name':'arg2','description':'Second','"
	  "required':true}]",
	  "[{'role':'user','content':{'type':'text','text':'Prompt with arguments: arg1=$1, arg2=$2'}}]" },
	{ "test_prompt_with_embedded_resource",
	  "[{'name':'resourceUri','description':'What to embed','required':true}]",
	  "[{'role':'user','content':{'type':'resource','resource':{'uri':'$1','mimeType':'text/plain',"
	  "'text':'Embedded resource content for testing.'}}},"
	  "{'role':'user','content':{'type':'text','text':'Please process the embedded resource above.'}}]" },
	{ "test_prompt_with_image", "[]",
	  "[{'role':'user','content':{'type':'image','data':'" PNG "','mimeType':'image/png'}},"
	  "{'role':'user','content':{'type':'text','text':'Please analyze the image above.'}}]" },
	{ "test_input_required_result_prompt", "[]", NULL },
};

void mcp_fixture_prompts(json_t *list)
{
	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", prompts[i].name,
						      "description", "For the conformance suite", "arguments",
						      parse(prompts[i].arguments)));
}

/* Every text in VALUE with the arguments put in, in the order in which the prompt names them. */
static void substitute(json_t *value, const json_t *names, const json_t *arguments)
{
	const char *key;
	size_t i;
	json_t *part;

	json_array_foreach(value, i, part) substitute(part, names, arguments);
	json_object_foreach(value, key, part) substitute(part, names, arguments);
	for (i = 0; json_is_string(value) && i < json_array_size(names); i++) {
		const char mark[] = { '$', (char)('1' + i), '\0' }, *text = json_string_value(value),
			   *at = strstr(text, mark);
		const char *name = json_string_value(json_object_get(json_array_get(names, i), "name"));
		const char *given = json_string_value(json_object_get(arguments, name));
		json_t *whole =
			at ? json_sprintf("%.*s%s%s", (int)(at - text), text, given ? given : "", at + 2)
			   : NULL;

		if (whole)
			json_string_set(value, json_string_value(whole));
		json_decref(whole);
	}
}

bool mcp_fixture_prompt(struct mcp_request *r, const char *name, const json_t *arguments)
{
	const struct prompt *p = NULL;
	json_t *messages, *names;

	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++)
		if (!strcmp(prompts[i].name, name))
			p = &prompts[i];
	if (!p)
		return false;
	if (!p->messages) {
		mcp_ask(r, parse("{'user_context':" ASK_NAME "}"), false, prompt_answered);
		return true;
	}
	messages = parse(p->messages);
	names = parse(p->arguments);
	substitute(messages, names, arguments);
	json_decref(names);
	mcp_reply(r, json_pack("{s:o}", "messages", messages));
	return true;
}

bool mcp_fixture_complete(struct mcp_request *r)
{
	const char *name = json_string_value(json_object_get(json_object_get(r->params, "ref"), "name"));

	if (!name || strcmp(name, "test_prompt_with_arguments") != 0)
		return false;
	mcp_reply(r, parse("{'completion':{'values':['test one','test two'],'total':2,'hasMore':false}}"));
	return true;
}
