# A kernel of Jupyter, where ipykernel is installed: it runs the programs, and is spoken to by the Jupyter protocol over sockets in the box.
# sdk/boot/show.py stands in front of this, driver.py behind it.
import os
import queue
import re
import signal

SHAPES = {"text/plain": "text", "text/html": "html", "text/markdown": "markdown", "image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpeg",
          "application/pdf": "pdf", "text/latex": "latex", "application/json": "json", "application/javascript": "javascript"}
MOST_SHOWN = 64
PATIENCE = 0.2


def shown_by(content, main):
    shown, extra = {"is_main_result": main}, {}
    for mime, made in content["data"].items():
        kind = SHAPES.get(mime)
        if len(json.dumps(made)) > LONGEST.get(kind, LONGEST_TEXT if kind else LONGEST["png"]):
            continue
        if not kind:
            extra[mime] = made
        else:
            shown[kind] = made.replace("\n", "") if kind in LONGEST else made
    return {**shown, "extra": extra} if extra else shown


class Kernel:
    engine = "ipykernel"

    def __init__(self, here):
        from jupyter_client.manager import KernelManager
        os.environ.update({"JUPYTER_RUNTIME_DIR": here, "IPYTHONDIR": here + "/ipython", "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        if os.environ.get("MPLBACKEND") == "agg":
            os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        self.manager = KernelManager(transport="ipc", ip=here + "/k", connection_file=here + "/kernel.json")
        # What commands write goes to files: the kernel would tell of it by and by, also after the end of the program.
        self.files = {name: os.open(f"{here}/k.{name}", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600) for name in ("stdout", "stderr")}
        self.manager.start_kernel(extra_arguments=["--HistoryManager.enabled=False", "--InteractiveShell.colors=NoColor",
                                                   "--IPKernelApp.capture_fd_output=False"], **self.files)
        self.process = self.manager.provisioner.process
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def next(self, asked):
        """The next message that answers ASKED; None: the kernel has ended."""
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=PATIENCE)
            except queue.Empty:
                if self.process.poll() is not None:
                    return None
                continue
            if message["parent_header"].get("msg_id") == asked:
                return message

    def run(self, code, streams):
        """What came of it; None: the kernel has ended. STREAMS: where its output goes, by name."""
        said = self.hear(code, streams)
        for name, fd in self.files.items():
            os.write(streams[name], os.pread(fd, LONGEST_TEXT, 0))
            os.ftruncate(fd, 0)
        return said

    def hear(self, code, streams):
        said, by_id, clear = {"results": [], "error": None, "engine": self.engine}, {}, False
        asked = self.client.execute(code, allow_stdin=False)
        while True:
            message = self.next(asked)
            if message is None:
                return None
            kind, content = message["msg_type"], message["content"]
            if clear and kind in ("stream", "display_data", "execute_result"):
                said["results"], by_id, clear = [], {}, False
            if kind == "stream":
                os.write(streams[content["name"]], content["text"].encode("utf-8", "replace"))
            elif kind in ("display_data", "execute_result", "update_display_data"):
                shown, name = shown_by(content, kind == "execute_result"), content.get("transient", {}).get("display_id")
                if name in by_id:
                    by_id[name].clear()
                    by_id[name].update(shown)
                elif kind != "update_display_data" and len(said["results"]) < MOST_SHOWN:
                    said["results"].append(shown)
                    if name:
                        by_id[name] = shown
            elif kind == "clear_output":
                if content.get("wait"):
                    clear = True
                else:
                    said["results"], by_id = [], {}
            elif kind == "error":
                text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(content["traceback"]))
                lines = re.findall(r"Cell In\[\d+\], line (\d+)", text)
                said["error"] = {"name": content["ename"], "message": content["evalue"], "line": int(lines[-1]) if lines else None, "traceback": text + "\n"}
            elif kind == "status" and content["execution_state"] == "idle":
                return said

    def set(self, variables):
        asked = self.client.execute(f"__import__('os').environ.update({variables!r})", silent=True, store_history=False)
        while (message := self.next(asked)) and message["content"].get("execution_state") != "idle":
            pass


def kernel(here):
    """None: there is none, or it does not start; then programs run without one."""
    from importlib.util import find_spec
    try:
        return Kernel(here) if find_spec("ipykernel") and find_spec("jupyter_client") else None
    except Exception as error:
        print(f"ipykernel does not start: {error}", file=sys.stderr)
        return None
