import { randomBytes } from 'node:crypto';
import { setCookie } from '#core/http/cookies.ts';
import type { Services } from '#core/services.ts';

/**
 * A browser that somebody has signed in with before. It keeps a name made by chance and our signature over that name, the
 * account, and the password as it is stored: nothing is kept here, and a new password makes it worthless. It opens nothing;
 * whoever shows it is only counted by itself when passwords are wrong.
 */
const PURPOSE = 'known device';
/** As long as browsers keep any cookie. */
const DEVICE_SECONDS = 400 * 24 * 3600;
const NAME_BYTES = 16;

interface Account {
  id: string;
  password_hash: string;
}

/** The name of the device that this cookie is of; undefined where it is none of this account's. */
export function readDevice({ secrets }: Services, account: Account, cookie: string | undefined): string | undefined {
  const [name = '', signature = ''] = (cookie ?? '').split('.');
  return name !== '' && secrets.isSigned(PURPOSE, signedText(account, name), signature) ? name : undefined;
}

/** The cookie to be left, under the name that the device has or a new one. */
export function deviceCookie({ secrets, config }: Services, account: Account, known: string | undefined): string {
  const name = known ?? randomBytes(NAME_BYTES).toString('base64url');
  const value = `${name}.${secrets.sign(PURPOSE, signedText(account, name))}`;
  return setCookie(config.baseUrl, 'device', value, { maxAgeSeconds: DEVICE_SECONDS, sameSite: 'Strict' });
}

const signedText = ({ id, password_hash }: Account, name: string) => `${id} ${password_hash} ${name}`;
