import { operation } from '#core/http/operation.ts';
import { Empty } from '#core/http/schema.ts';
import { anyone, withPassword } from '#core/policy.ts';
import { tooManyApiTokens } from '#features/credential/credential.ts';
import {
  Confirmation,
  codeExpired,
  DeviceCodeExchange,
  DeviceCodes,
  DeviceGrant,
  DeviceSignIn,
  invalidCode,
  NewDeviceSignIn,
  pending,
  refused,
  slowDown,
  tooManyWrongCodes,
  UserCode,
  unknownUserCode,
} from './device-sign-in.schema.ts';
import { beginSignIn, confirmSignIn, exchangeCode, inspectSignIn, refuseSignIn } from './device-sign-in.ts';

const tag = 'credentials';
const codeErrors = [unknownUserCode, tooManyWrongCodes];

export const deviceSignInOperations = [
  operation({
    id: 'beginDeviceSignIn',
    method: 'POST',
    path: '/device_sign_in',
    tag,
    summary: 'Begin to sign a program in by a code that its person types in the dashboard (RFC 8628)',
    access: anyone,
    limit: 'deviceSignIn',
    // What it answers opens an account: it is not kept.
    transaction: false,
    accepts: ['json', 'form'],
    body: NewDeviceSignIn,
    response: DeviceCodes,
    handle: (call) => beginSignIn(call),
  }),
  operation({
    id: 'inspectDeviceSignIn',
    method: 'POST',
    path: '/device_sign_in/inspect',
    tag,
    summary: 'Which program waits for a code to be confirmed',
    access: withPassword,
    effect: 'read',
    body: UserCode,
    response: DeviceSignIn,
    errors: codeErrors,
    handle: (call) => inspectSignIn(call, call.body.user_code),
  }),
  operation({
    id: 'confirmDeviceSignIn',
    method: 'POST',
    path: '/device_sign_in/confirm',
    tag,
    summary: 'Let the program in: it gets a personal API token of yours',
    access: withPassword,
    body: Confirmation,
    response: Empty,
    errors: [...codeErrors, tooManyApiTokens],
    async handle(call) {
      await confirmSignIn(call);
      return {};
    },
  }),
  operation({
    id: 'refuseDeviceSignIn',
    method: 'POST',
    path: '/device_sign_in/refuse',
    tag,
    summary: 'Tell the program that it is not let in',
    access: withPassword,
    body: UserCode,
    response: Empty,
    errors: codeErrors,
    async handle(call) {
      await refuseSignIn(call);
      return {};
    },
  }),
  operation({
    id: 'exchangeDeviceCode',
    method: 'POST',
    path: '/device_sign_in/token',
    tag,
    summary: 'Ask whether the code was confirmed, and get the token then, once',
    access: anyone,
    limit: 'devicePoll',
    transaction: false,
    oauthErrors: true,
    accepts: ['form', 'json'],
    body: DeviceCodeExchange,
    response: DeviceGrant,
    errors: [pending, slowDown, refused, codeExpired, invalidCode, tooManyApiTokens],
    handle: (call) => exchangeCode(call, call.body.device_code),
  }),
];
