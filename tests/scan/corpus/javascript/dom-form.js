// benign: sends a form
document.querySelector('#signup').addEventListener('submit', async (e) => {
  e.preventDefault();
  const body = new FormData(e.target);
  const r = await fetch('/api/signup', { method: 'POST', body });
  document.querySelector('#msg').textContent = r.ok ? 'Thanks!' : 'Something went wrong';
});
