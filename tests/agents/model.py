# SPDX-License-Identifier: Apache-2.0
"""A model without one: it speaks to the agents as their services do, and says what a test tells it to say.

It asks for one tool call after the other, then says "done"; `asked` has every request, so that a test sees what the agent's
tool brought back. It thinks nothing and knows no account.
"""
import http.server
import json
import threading


class Model:
    """CALLS: (tool, arguments) in the order in which the agent is to do them."""

    def __init__(self, calls):
        self.calls, self.asked, self.results = list(calls), [], []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802, the library's name
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                asked = json.loads(body) if body else {}
                model.asked.append((self.path, asked))
                path = self.path.split("?")[0]
                kind, events = (anthropic if path.endswith("/messages") else openai if path.endswith("/responses") else google)(model, asked, path)
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(events)))
                self.end_headers()
                self.wfile.write(events)

            def do_GET(self):  # noqa: N802
                self.send_error(404)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def next(self, results):
        """What comes after so many results of tools; None: nothing more."""
        self.results = max(self.results, results, key=len)
        return self.calls[len(results)] if len(results) < len(self.calls) else None


def stream(events, named=True):
    text = "".join((f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events)
    return "text/event-stream", text.encode()


def texts(value):
    """Whatever text is in there."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(texts(v) for v in value)
    return "".join(texts(v) for k, v in value.items() if k in ("text", "content", "output", "response", "error", "llmContent")) if isinstance(value, dict) else ""


def anthropic(model, asked, path):
    results = [texts(part.get("content")) for m in asked.get("messages", []) if isinstance(m["content"], list) for part in m["content"] if part.get("type") == "tool_result"]
    # Titles and the like are asked for without tools.
    call = model.next(results) if asked.get("tools") else None
    if call:
        block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call[0], "input": {}}
        delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}, "tool_use"
    else:
        block, delta, stop = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}, "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model", "m"), "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if not asked.get("stream"):
        return "application/json", json.dumps({**message, "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"}).encode()
    return stream([{"type": "message_start", "message": message}, {"type": "content_block_start", "index": 0, "content_block": block},
                   {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                   {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}},
                   {"type": "message_stop"}])


def openai(model, asked, path):
    results = [texts(item.get("output")) for item in asked.get("input", []) if item.get("type", "").endswith("call_output")]
    call = model.next(results)
    if call and isinstance(call[1], str):
        item = {"type": "custom_tool_call", "id": f"ct_{len(results)}", "call_id": f"call_{len(results)}", "name": call[0], "input": call[1]}
    elif call:
        item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}", "name": call[0], "arguments": json.dumps(call[1])}
    else:
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "done"}]}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
    return stream([{"type": "response.created", "response": {"id": "resp_1"}}, {"type": "response.output_item.done", "item": item},
                   {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}])


def google(model, asked, path):
    results = [texts(part["functionResponse"]["response"]) for c in asked.get("contents", []) for part in c.get("parts", []) if "functionResponse" in part]
    call = model.next(results) if asked.get("tools") else None
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
              "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
    if "stream" in path:
        return stream([answer], named=False)
    return "application/json", json.dumps({**answer, "totalTokens": 1}).encode()
