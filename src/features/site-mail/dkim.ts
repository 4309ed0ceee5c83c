import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { registrableDomain } from '#core/host-name.ts';
import type { SiteRow } from '#features/instance/instance.ts';

/** The DKIM record that a site's owner publishes; undefined before the site has its key. */
export function dkimRecordOf(row: SiteRow): { name: string; value: string } | undefined {
  if (!row.dkim_public_key) return undefined;
  return { name: dkimName(mailDomainOf(row.fqdn)), value: `v=DKIM1; k=rsa; p=${row.dkim_public_key}` };
}

/** WordPress writes as the domain without www, and what proves that proves the names below it. */
export function mailDomainOf(fqdn: string): string {
  const rest = fqdn.replace(/^www\./, '');
  return registrableDomain(rest) ? rest : fqdn;
}

export const dkimName = (fqdn: string) => `${DKIM_SELECTOR}._domainkey.${fqdn}`;

/** The key of a record; blanks and the order of the other tags are the publisher's own. */
export function dkimKeyOf(record: string): string | undefined {
  const tags = record.split(';').map((tag) => tag.replaceAll(/\s+/g, ''));
  if (tags[0] !== 'v=DKIM1') return undefined;
  return tags.find((tag) => tag.startsWith('p='))?.slice(2);
}

/** Where the DKIM record is published: this label, then _domainkey, then the site's name without www. */
export const DKIM_SELECTOR = 'siteyard';

/** Generating a key is slow, so tests use a smaller one (testkit/app/test-app.ts). No setting changes the size. */
export const DKIM_KEY = { modulusLength: 2048 };

export async function newDkimKeys(): Promise<{ publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    ...DKIM_KEY,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: publicKey.toString('base64'), privateKey };
}
