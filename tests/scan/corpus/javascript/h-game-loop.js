// benign: a game
const canvas = document.querySelector('canvas'), ctx = canvas.getContext('2d');
const keys = new Set();
addEventListener('keydown', (e) => keys.add(e.code));
addEventListener('keyup', (e) => keys.delete(e.code));
let x = 10;
function frame() {
  if (keys.has('ArrowRight')) x += 2;
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  ctx.fillRect(x, 20, 16, 16);
  requestAnimationFrame(frame);
}
frame();
