// tricky-benign: listens to keys for shortcuts
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey && e.key === 's') {
    e.preventDefault();
    saveDraft();
  }
});
function saveDraft() {
  localStorage.setItem('draft', document.querySelector('textarea').value);
}
