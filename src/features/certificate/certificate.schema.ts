import { type Static, Type } from 'typebox';
import { Nullable, OneOf, say, Timestamp } from '#core/http/schema.ts';

export const CertificateState = Type.Object(
  {
    state: OneOf(['none', 'pending', 'issued', 'failing'], {
      description:
        '`none`: there is none and none is wanted yet. `pending`: it is being got. `failing`: the last attempt to get or renew it failed, for the reason given',
    }),
    source: say(
      Nullable(OneOf(['acme', 'own'])),
      '`acme`: got from a certificate authority. `own`: uploaded by the team',
    ),
    reason: say(Nullable(Type.String()), 'Why there is none, or what went wrong last'),
    expires_at: say(Nullable(Timestamp), 'Until when the one that is served is good'),
    next_try_at: say(Nullable(Timestamp), 'When it is got, renewed or asked about next'),
  },
  { title: 'CertificateState' },
);
export type CertificateState = Static<typeof CertificateState>;

const MAX_PEM = 65_536;

export const OwnCertificate = Type.Object({
  chain: Type.String({
    minLength: 1,
    maxLength: MAX_PEM,
    description: 'The certificate of the name and those that lead from it to its authority, as PEM, in this order',
  }),
  key: Type.String({ minLength: 1, maxLength: MAX_PEM, description: 'Its private key as PEM, without a password' }),
});
export type OwnCertificate = Static<typeof OwnCertificate>;
