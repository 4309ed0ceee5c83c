/** The name of a host, which people copy from the address bar with what is around it. */
export const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/.*/, '');
