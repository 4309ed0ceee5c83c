// SPDX-License-Identifier: GPL-2.0-or-later
import type { PHP } from '@php-wasm/universal';
import { makeCertificate } from '../../php/certificate.ts';
import type { NetworkGuard } from './network-guard.ts';
import { PATHS, type SiteSettings } from './settings.ts';

const CERTIFICATES = `${PATHS.core}/wp-includes/certificates`;
const BUNDLE = `${CERTIFICATES}/ca-bundle.crt`;

/**
 * Lets PHP call its own site. Site Health, the file editor and the background work of plugins do so by the site's public
 * address; from here it goes straight to the platform. Where that address is https, PHP wants a certificate that it
 * trusts, and gets one that nobody else has any use for.
 */
export async function openOwnWay(php: PHP, network: NetworkGuard, { own }: SiteSettings): Promise<void> {
  if (!own) return;
  const certificate = own.isSecure ? makeCertificate(own.host) : undefined;
  network.own(own, certificate);
  if (certificate) await trust(php, certificate.cert);
}

/** WordPress, curl and PHP's own streams all look into this one file, which many sites share on disk. */
async function trust(php: PHP, cert: string): Promise<void> {
  const bundle = php.readFileAsText(BUNDLE);
  await php.mount(CERTIFICATES, (_php, fs) => {
    fs.mount(fs.filesystems.MEMFS, {}, CERTIFICATES);
    return () => fs.unmount(CERTIFICATES);
  });
  php.writeFile(BUNDLE, `${bundle}\n${cert}`);
}
