import { codeOf, stepAt } from '#features/second-factor/totp.ts';
import { ApiError, createClient, type SecondStep } from '#sdk';
import { answerCreation, newPasskey, type SoftPasskey } from '../clients/software-authenticator.ts';
import { PASSWORD, type Person } from './people.ts';
import type { TestApp } from './test-app.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes that an authenticator app keeps. */
function readBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Somebody's app: each code that it shows is later than the one before, as if time had passed. */
export class AuthenticatorApp {
  readonly secret: Buffer;
  readonly #app: TestApp;
  readonly #userId: string;

  constructor(app: TestApp, userId: string, secret: string) {
    this.#app = app;
    this.#userId = userId;
    this.secret = readBase32(secret);
  }

  code(): string {
    return codeOf(this.secret, stepAt(Date.now()));
  }

  /** What was used is used no more: the thirty seconds are over. */
  async later(): Promise<void> {
    await this.#app.services.db
      .updateTable('totp_secrets')
      .set({ last_step: 0 })
      .where('user_id', '=', this.#userId)
      .execute();
  }
}

export async function addTotp(
  app: TestApp,
  { api, userId }: Person,
): Promise<{ totp: AuthenticatorApp; recoveryCodes: string[] }> {
  const { secret } = await api.beginTotp({ body: { current_password: PASSWORD } });
  const totp = new AuthenticatorApp(app, userId, secret);
  const { recovery_codes } = await api.confirmTotp({ body: { code: totp.code() } });
  return { totp, recoveryCodes: recovery_codes };
}

export async function addPasskey(
  app: TestApp,
  { api }: Person,
): Promise<{ id: string; passkey: SoftPasskey; recoveryCodes: string[] }> {
  const { challenge, options } = await api.beginPasskey({ body: { current_password: PASSWORD } });
  const passkey = newPasskey();
  const made = await api.createPasskey({
    body: { challenge, name: 'laptop', ...answerCreation(passkey, options, new URL(app.url).origin) },
  });
  return { id: made.id, passkey, recoveryCodes: made.recovery_codes };
}

/** Signs in with the password, which must not be enough. */
export async function untilSecondStep(app: TestApp, email: string, password = PASSWORD): Promise<SecondStep> {
  try {
    await createClient({ baseUrl: app.url }).signIn({ body: { username: email, password } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'auth.second_step_needed')
      return error.data.second_step as SecondStep;
    throw error;
  }
  throw new Error('the password alone was enough');
}
