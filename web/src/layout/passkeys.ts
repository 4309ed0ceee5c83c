import type { Operations } from '#sdk';
import { PlainError } from '../ui/form.tsx';

type Answer = Omit<Operations['signInWithPasskey']['input']['body'], 'challenge'>;
type Made = Omit<Operations['createPasskey']['input']['body'], 'challenge' | 'name'>;
type Options = Record<string, unknown>;

/** Browsers have them on https and localhost alone. */
export const canUsePasskeys = 'PublicKeyCredential' in globalThis;

const library = () => import('@simplewebauthn/browser');

/**
 * Asks the browser for a passkey that was made here before. Browsers say the same of a person who cancelled, a device without the key and a time
 * that ran out.
 */
export async function askPasskey(options: Options): Promise<Answer> {
  const { startAuthentication } = await library();
  const { id, response } = await startAuthentication({ optionsJSON: options as never }).catch(() => {
    throw new PlainError('No passkey was used. Try again, or use another way.');
  });
  return {
    credential_id: id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  };
}

export async function makePasskey(options: Options): Promise<Made> {
  const { startRegistration } = await library();
  const { id, response } = await startRegistration({ optionsJSON: options as never }).catch(explainMaking);
  return {
    credential_id: id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: response.transports ?? [],
  };
}

function explainMaking(error: unknown): never {
  const isKnown =
    error instanceof Error && 'code' in error && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new PlainError(
    isKnown
      ? 'This device has a passkey for your account already.'
      : 'No passkey was made. Try again, or make it on another device.',
  );
}
