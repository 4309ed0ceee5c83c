// Begins the dashboard in a page that the server has drawn (src/server.tsx), once it is shown: its scripts would hold up what paints it.
(() => {
  var address = document.currentScript.dataset.module;
  // Whatever comes second finds it begun.
  var begin = () => import(address);
  var isDrawn = document.getElementById('root').firstChild !== null;
  // What is in the background is painted when somebody looks at it.
  if (!isDrawn || document.hidden) return begin();
  // The page is painted once while it is still empty.
  var see = (list) => list.getEntriesByName('first-contentful-paint').length > 0 && begin();
  new PerformanceObserver(see).observe({ type: 'paint', buffered: true });
  setTimeout(begin, 300);
})();
