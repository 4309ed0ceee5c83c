import { isIP } from 'node:net';
import type { AuthenticatorTransport, WebAuthnCredential } from '@simplewebauthn/server';
import type { Services } from '#core/services.ts';
import type { NewPasskey, PasskeyAnswer } from './second-factor.schema.ts';
import type { StoredPasskey } from './second-factor.sql.ts';

/**
 * WebAuthn, by a library that is loaded when somebody needs it: few requests do, and it brings all that certificates are made of.
 */
const library = () => import('@simplewebauthn/server');

const NAME = 'Siteyard';

/** A passkey belongs to the platform's own host name; browsers make none for an address without a name. */
const relyingParty = ({ config }: Services) => {
  const { hostname, origin } = new URL(config.baseUrl);
  return { rpID: hostname, origin };
};

export const canHavePasskeys = (services: Services): boolean =>
  isIP(relyingParty(services).rpID.replaceAll(/[[\]]/g, '')) === 0;

export async function creationOptions(
  services: Services,
  person: { id: string; email: string; full_name: string },
  existing: readonly StoredPasskey[],
): Promise<{ nonce: string; options: Record<string, unknown> }> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: relyingParty(services).rpID,
    userID: new Uint8Array(Buffer.from(person.id.replaceAll('-', ''), 'hex')),
    userName: person.email,
    userDisplayName: person.full_name,
    attestationType: 'none',
    excludeCredentials: existing.map(describe),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  return { nonce: options.challenge, options: { ...options } };
}

export async function verifyCreation(
  services: Services,
  nonce: string,
  { credential_id, client_data, attestation, transports = [] }: NewPasskey,
): Promise<{ credential_id: string; public_key: Buffer; counter: number; transports: string[] } | undefined> {
  const { verifyRegistrationResponse } = await library();
  const { rpID, origin } = relyingParty(services);
  // It throws for whatever is wrong with what somebody sent, and that is all the same to them.
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credential_id,
      rawId: credential_id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: client_data, attestationObject: attestation },
    },
    expectedChallenge: nonce,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: false,
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || !registrationInfo) return undefined;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credential_id: id, public_key: Buffer.from(publicKey), counter, transports: [...transports] };
}

/** `passkeys` are those that may answer; without them any of the platform's may, and it has to know its person by itself. */
export async function requestOptions(
  services: Services,
  passkeys: readonly StoredPasskey[] | undefined,
): Promise<{ nonce: string; options: Record<string, unknown> }> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(services).rpID,
    userVerification: passkeys ? 'preferred' : 'required',
    ...(passkeys && { allowCredentials: passkeys.map(describe) }),
  });
  return { nonce: options.challenge, options: { ...options } };
}

/** The passkey's new counter where it answered rightly. As the only step it must have asked its person for a finger or a PIN. */
export async function verifyAnswer(
  services: Services,
  { nonce, passkey, asOnlyStep }: { nonce: string; passkey: StoredPasskey; asOnlyStep: boolean },
  { credential_id, client_data, authenticator_data, signature }: PasskeyAnswer,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { rpID, origin } = relyingParty(services);
  const credential: WebAuthnCredential = {
    id: passkey.credential_id,
    publicKey: new Uint8Array(passkey.public_key),
    counter: Number(passkey.counter),
  };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id: credential_id,
      rawId: credential_id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
    },
    expectedChallenge: nonce,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential,
    requireUserVerification: asOnlyStep,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified ? authenticationInfo?.newCounter : undefined;
}

const describe = ({ credential_id, transports }: StoredPasskey) => ({
  id: credential_id,
  transports: transports as AuthenticatorTransport[],
});
