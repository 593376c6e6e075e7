# SPDX-License-Identifier: Apache-2.0
"""aisbx: sandboxes for AI agents. `Sandbox` for threads, `AsyncSandbox` for asyncio."""
from . import _types as methods
from ._async import AsyncCommandHandle, AsyncCommands, AsyncFiles, AsyncPty, AsyncPtyHandle, AsyncSandbox, AsyncWatchHandle
from ._sync import CommandHandle, Commands, Files, Pty, PtyHandle, Sandbox, WatchHandle
from .client import Client, default_client
from .errors import (AisbxError, Busy, Cancelled, CommandExit, CommandExitException, Exists, FileNotFound, LimitExceeded, NodeGone, NotFound,
                     PolicyDenied, PromoteConflict, SandboxNotFound, ServerGone, StaleBase, StartFailed, Timeout, TimeoutException, Unsupported, UsageError)
from .models import (Change, CodeContext, CommandInfo, CommandResult, Conflict, Diff, EntryInfo, Execution, ExecutionError, FilesystemEvent, Limit, Logs,
                     Metrics, Output, Promotion, Result, SandboxInfo, SnapshotInfo, Usage, Violation)

__all__ = [
    "AisbxError", "AsyncCommandHandle", "AsyncCommands", "AsyncFiles", "AsyncPty", "AsyncPtyHandle", "AsyncSandbox", "AsyncWatchHandle", "Busy", "Cancelled", "Change",
    "Client", "CodeContext", "CommandExit", "CommandExitException", "CommandHandle", "CommandInfo", "CommandResult", "Commands", "Conflict", "Diff",
    "EntryInfo", "Execution", "ExecutionError", "Exists", "FileNotFound", "Files", "FilesystemEvent", "Limit", "LimitExceeded", "Logs",
    "Metrics", "NodeGone", "NotFound", "Output", "PolicyDenied", "PromoteConflict", "Promotion", "Pty", "PtyHandle", "Result", "Sandbox", "SandboxInfo", "SandboxNotFound",
    "ServerGone", "SnapshotInfo", "StaleBase", "StartFailed", "Timeout", "TimeoutException", "Unsupported", "Usage", "UsageError",
    "Violation", "WatchHandle", "default_client", "methods",
]
