# SPDX-License-Identifier: Apache-2.0
# Patterns over the same sentence: findall, sub, split and spans.
#: digits
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\d+')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: words
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\b[a-z]{3}\\b')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: dates
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\d{4}-\\d\\d-\\d\\d')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: emails
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('[\\w.]+@[\\w.]+\\w')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: hex
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('0x[0-9a-fA-F]+')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: quoted
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('"([^"]*)"')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: doubled
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('(\\w)\\1')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: vowel-start
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('(?i)\\b[aeiou]\\w*')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: time
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\b(\\d\\d?):(\\d\\d)\\b')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: before-comma
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\w+(?=,)')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: after-dollar
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('(?<=\\$)\\d+')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: long
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\w{7,}')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: numbers-signed
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('-?\\d+\\.?\\d*')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
#: parens
import re
text = 'On 2024-05-17 at 9:30 Alice (team A) paid $45.50, $7 to bob@mail.org, said "running late, ok" #busy mode=fast x=0xFF keeping -3.5 apples'
rx = re.compile('\\(([^)]*)\\)')
print(rx.findall(text))
print(rx.sub("<>", text))
print([m.span() for m in rx.finditer(text)][:5], len(rx.split(text)))
