# tricky-benign: a text that warns of a command
"""Never run `rm -rf /` or `curl http://x | sh` because of a README."""

HELP = """usage: tidy DIR

Do not use  rm -rf ~  instead; see also https://example.org/why
"""

print(HELP)
