# SPDX-License-Identifier: Apache-2.0
"""How long a sandbox lives is said when it is made, can be changed, and then it ends by itself."""
import datetime

from e2b import NotFoundException, Sandbox, TimeoutException
from waiting import until

sandbox = Sandbox.create(timeout=120)
info = sandbox.get_info()
now = datetime.datetime.now(datetime.timezone.utc)
assert abs((info.end_at - info.started_at).total_seconds() - 120) < 30, info
assert abs((now - info.started_at).total_seconds()) < 60, (now, info)

sandbox.set_timeout(600)
assert sandbox.get_info().end_at - info.end_at > datetime.timedelta(seconds=400)

sandbox.set_timeout(1)
until(lambda: not sandbox.is_running())
try:
    sandbox.commands.run("true")
    raise AssertionError("a command ran after the end")
except TimeoutException as error:
    assert "was not found" in str(error) or "timeout" in str(error), error
try:
    Sandbox.set_timeout(sandbox.sandbox_id, 60)
    raise AssertionError("the dead were given more time")
except NotFoundException:
    pass
