/** Where the picture of a site is. */
export const pictureAddress = (fqdn: string) => `/f/api/v1/site/${fqdn}/picture`;

/** Begins to load it before anything on the page shows it. */
export function preloadPicture(fqdn: string): void {
  const href = pictureAddress(fqdn);
  // The server names it in the page.
  if (typeof document === 'undefined') return;
  if (document.head.querySelector(`link[href="${CSS.escape(href)}"]`)) return;
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'preload', as: 'image', fetchPriority: 'high', href }));
}
