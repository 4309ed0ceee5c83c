/** Where the picture of a site is. */
export const pictureAddress = (fqdn: string) => `/f/api/v1/site/${fqdn}/picture`;
