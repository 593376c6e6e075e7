// benign: makes a thumbnail
const { spawn } = require('child_process');
function thumbnail(input, output, at = '00:00:01') {
  return new Promise((ok, bad) => {
    const p = spawn('ffmpeg', ['-y', '-ss', at, '-i', input, '-frames:v', '1', output]);
    p.stderr.on('data', (d) => process.stderr.write(d));
    p.on('close', (code) => (code === 0 ? ok() : bad(new Error(`ffmpeg ${code}`))));
  });
}
thumbnail('in.mp4', 'out.jpg').then(() => console.log('done'));
