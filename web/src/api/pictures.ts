/** Where the picture of a site is. */
export const pictureAddress = (fqdn: string) => `/f/api/v1/site/${fqdn}/picture`;

const begun = new Set<string>();

/** Begins to load it before anything on the page shows it. */
export function preloadPicture(fqdn: string): void {
  if (begun.has(fqdn)) return;
  begun.add(fqdn);
  const href = pictureAddress(fqdn);
  document.head.append(
    Object.assign(document.createElement('link'), { rel: 'preload', as: 'image', fetchPriority: 'high', href }),
  );
}
