import { bodyFault, type Fault } from '#core/errors.ts';
import { isWithin, registrableDomain } from '#core/host-name.ts';
import type { Config } from '../../config.ts';

// Which names a site may have.

export const SHARED_DOMAIN = 'this is a name of the domain that the platform itself uses; choose one of another domain';

export function isUnderSiteDomain({ siteDomain }: Pick<Config, 'siteDomain'>, fqdn: string): boolean {
  return fqdn.endsWith(`.${siteDomain}`);
}

const DEMO_LABEL = /^demo-[0-9a-f]{32}$/;

/** Where the demo of a template is shown: a name that no site can have, and no second template ever has. */
export function demoName({ siteDomain }: Pick<Config, 'siteDomain'>, templateId: string): string {
  return `demo-${templateId.replaceAll('-', '')}.${siteDomain}`;
}

/** The template whose demo has this name. */
export function templateOfDemo({ siteDomain }: Pick<Config, 'siteDomain'>, fqdn: string): string | undefined {
  const label = fqdn.endsWith(`.${siteDomain}`) ? fqdn.slice(0, -siteDomain.length - 1) : '';
  return DEMO_LABEL.test(label) ? label.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined;
}

const EDITOR = 'code-';
const LONGEST_LABEL = 63;
const EDITOR_OF_ID = /^[0-9a-f]{32}$/;

/**
 * Where the code editor of an instance is: `code-<name>` beside its name, and by its id where it has another domain, is a copy, or its name is too
 * long. No site can have a name that begins so.
 */
export function editorName(
  { siteDomain }: Pick<Config, 'siteDomain'>,
  site: { id: string; fqdn: string; kind: string },
): string {
  const label = site.fqdn.endsWith(`.${siteDomain}`) ? site.fqdn.slice(0, -siteDomain.length - 1) : '';
  const isPlain = site.kind === 'live' && label !== '' && !label.includes('.') && !EDITOR_OF_ID.test(label);
  const isShort = EDITOR.length + label.length <= LONGEST_LABEL;
  return `${EDITOR}${isPlain && isShort ? label : site.id.replaceAll('-', '')}.${siteDomain}`;
}

/** Whose editor has this name. */
export function siteOfEditor(
  { siteDomain }: Pick<Config, 'siteDomain'>,
  name: string,
): { id: string } | { fqdn: string } | undefined {
  if (!name.startsWith(EDITOR) || !name.endsWith(`.${siteDomain}`)) return undefined;
  const label = name.slice(EDITOR.length, -siteDomain.length - 1);
  if (label === '' || label.includes('.')) return undefined;
  if (!EDITOR_OF_ID.test(label)) return { fqdn: `${label}.${siteDomain}` };
  return { id: label.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
}

/** Whether it is one of the platform's own names. `reserved` are further ones. */
export function isReservedName(config: Config, fqdn: string, reserved: readonly string[]): boolean {
  if (templateOfDemo(config, fqdn) !== undefined || siteOfEditor(config, fqdn) !== undefined) return true;
  return [new URL(config.baseUrl).hostname, config.siteDomain, config.stageDomain, ...reserved].includes(fqdn);
}

/** Whether a name leads to the platform and to no site. `reserved` are further names of it. */
export function isPlatformName(config: Config, fqdn: string, reserved: readonly string[]): boolean {
  const platform = new URL(config.baseUrl).hostname;
  if (isReservedName(config, fqdn, reserved)) return true;
  // Only staging sites have names there.
  if (config.stageDomain !== config.siteDomain && isWithin(fqdn, config.stageDomain)) return true;
  return fqdn.endsWith(`.${platform}`) && !isUnderSiteDomain(config, fqdn);
}

/** Whether a site of this name could set cookies of the dashboard, as everything within one registered domain can. */
function sharesCookies(config: Config, fqdn: string): boolean {
  const domain = registrableDomain(new URL(config.baseUrl).hostname);
  return domain !== undefined && isWithin(fqdn, domain);
}

/**
 * Whether a name is within a domain that the platform has registered: that of the dashboard, whose cookies a site there could set, or that of
 * the sites, for which it could seem to speak. The sites' own names under it are the platform's to give.
 */
export function isOfPlatformDomain(config: Config, fqdn: string): boolean {
  if (sharesCookies(config, fqdn)) return true;
  if (isUnderSiteDomain(config, fqdn)) return false;
  return [config.siteDomain, config.stageDomain].some((name) => isWithin(fqdn, registrableDomain(name) ?? name));
}

/** Finds fault with a host name that is none of a site. `reserved` are further names of the platform. */
export function checkName(config: Config, field: string, fqdn: string, reserved: readonly string[]): Fault[] {
  const fault = (msg: string) => [bodyFault(field, `Value error, ${msg}`)];
  if (isPlatformName(config, fqdn, reserved)) return fault('this name belongs to the platform itself');
  if (isOfPlatformDomain(config, fqdn)) return fault(SHARED_DOMAIN);
  if (!isUnderSiteDomain(config, fqdn)) return [];
  const label = fqdn.slice(0, -config.siteDomain.length - 1);
  return label.includes('.') ? fault(`a name under ${config.siteDomain} has one label more and not several`) : [];
}
