// Sets data-theme on <html> before the first paint. src/ui/theme.ts keeps it in step afterwards.
(() => {
  var choice = null;
  try {
    choice = localStorage.getItem('siteyard.theme');
  } catch (_) {
    // Storage may be blocked; then the system decides.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
