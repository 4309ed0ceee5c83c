import { randomBytes } from 'node:crypto';
import type { Services } from '#core/services.ts';

/** What every instance is born with, whether or not anybody ever asks for it. */
export function newPasswords({ secrets }: Pick<Services, 'secrets'>) {
  const seal = () => secrets.seal(Buffer.from(randomBytes(15).toString('base64url')));
  return { http_auth_password_sealed: seal(), code_server_password_sealed: seal() };
}
