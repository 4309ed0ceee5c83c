import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createClient } from '#sdk';
import { PASSWORD, registerPerson, signInAs } from '#testkit/app/people.ts';
import { addPasskey, addTotp, untilSecondStep } from '#testkit/app/second-factor.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { answerRequest, newPasskey } from '#testkit/clients/software-authenticator.ts';
import { refused } from '#testkit/expect.ts';
import { codeOf } from '../second-factor/totp.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const anonymous = () => createClient({ baseUrl: app.url });
const as = (token: string) => createClient({ baseUrl: app.url, token });
const tokenIn = (mail: string) => /token=([\w-]+)/.exec(mail)?.[1] as string;
const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

test('codes are those of RFC 6238', () => {
  const secret = Buffer.from('12345678901234567890');
  assert.equal(codeOf(secret, Math.floor(59 / 30)), '287082');
  assert.equal(codeOf(secret, Math.floor(1111111109 / 30)), '081804');
  assert.equal(codeOf(secret, Math.floor(20000000000 / 30)), '353130');
});

test('with an app set up the password is not enough, and a code opens once', async () => {
  const person = await registerPerson(app, 'Ada');
  const elsewhere = await signInAs(app, person.email);
  const { token: apiToken } = await person.api.createApiToken({ body: { name: 'ci', scopes: ['read'] } });
  const { totp, recoveryCodes } = await addTotp(app, person);
  assert.equal(new Set(recoveryCodes).size, 10);
  // Whoever got in without it is out; this session and tokens go on.
  await assert.rejects(elsewhere.api.getMe(), refused(401));
  await person.api.getMe();
  await as(apiToken).getMe();
  assert.match(await app.mailTo(person.email, 'authenticator app was added'), /text\/html/);

  const step = await untilSecondStep(app, person.email);
  assert.deepEqual(step.methods, ['totp', 'recovery_code']);
  const answer = (code: string, challenge = step.challenge) =>
    anonymous().passSecondStep({ body: { challenge, code } });
  // The one that set it up counts as used.
  await assert.rejects(answer(totp.code()), refused(401, 'auth.wrong_code'));
  await totp.later();
  await assert.rejects(answer(wrongOf(totp.code())), refused(401, 'auth.wrong_code'));
  const grant = await answer(totp.code());
  assert.equal((await as(grant.access_token).getMe()).id, person.userId);
  await assert.rejects(answer(totp.code()), refused(409, 'auth.step_over'));
  const again = await untilSecondStep(app, person.email);
  await assert.rejects(answer(totp.code(), again.challenge), refused(401, 'auth.wrong_code'));
});

test('tries are few: five a sign-in and thirty an hour, whatever process counts, and the person hears of it', async () => {
  const person = await registerPerson(app, 'Guessed');
  const { totp, recoveryCodes } = await addTotp(app, person);
  await totp.later();
  const wrong = wrongOf(totp.code());
  for (let round = 0; round < 6; round++) {
    const { challenge } = await untilSecondStep(app, person.email);
    const guess = (code: string) => anonymous().passSecondStep({ body: { challenge, code } });
    for (let each = 0; each < 5; each++) await assert.rejects(guess(wrong), refused(401, 'auth.wrong_code'));
    await assert.rejects(guess(totp.code()), refused(409, 'auth.step_over'));
  }
  const { challenge } = await untilSecondStep(app, person.email);
  const right = anonymous().passSecondStep({ body: { challenge, code: totp.code() } });
  await assert.rejects(right, refused(429, 'auth.too_many_codes'));
  await app.mailTo(person.email, 'Somebody knows your password');
  // What can not be guessed opens all the while.
  await anonymous().passSecondStep({ body: { challenge, recovery_code: recoveryCodes[0] as string } });
});

test('wrong codes are limited by account and address like wrong passwords', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '1' } });
  try {
    const person = await registerPerson(limited, 'Ada');
    const { recoveryCodes } = await addTotp(limited, person);
    const client = createClient({ baseUrl: limited.url });
    const steps = [1, 2, 3].map(() => untilSecondStep(limited, person.email));
    const [first, second, third] = await Promise.all(steps);
    const guess = (challenge = '', recovery_code = 'wrong') =>
      client.passSecondStep({ body: { challenge, recovery_code } });
    for (const step of [first, second])
      for (let each = 0; each < 5; each++)
        await assert.rejects(guess(step?.challenge), refused(401, 'auth.wrong_code'));
    await assert.rejects(guess(third?.challenge, recoveryCodes[0]), refused(429, 'auth.too_many_codes'));

    // Whoever knows the password and guesses codes from many addresses does not keep out whoever has what can not be guessed.
    const other = await registerPerson(limited, 'Bea');
    const { recoveryCodes: codes } = await addTotp(limited, other);
    const { limits } = limited.services;
    for (let each = 0; each < 20; each++) limits.take('failedSecondStepOfAccount', other.userId);
    assert.ok(limits.peek('failedSecondStepOfAccount', other.userId).exceeded);
    const { challenge } = await untilSecondStep(limited, other.email);
    await guess(challenge, codes[0]);
  } finally {
    await limited.close();
  }
});

test('a recovery code opens once, and new ones end those before', async () => {
  const person = await registerPerson(app, 'Ada');
  const { recoveryCodes } = await addTotp(app, person);
  const [code = '', other = ''] = recoveryCodes;
  const enter = async (recovery_code: string) => {
    const { challenge } = await untilSecondStep(app, person.email);
    return anonymous().passSecondStep({ body: { challenge, recovery_code } });
  };
  await enter(code.toUpperCase().replaceAll('-', ' '));
  await assert.rejects(enter(code), refused(401, 'auth.wrong_code'));
  assert.equal((await person.api.getSecondFactor()).recovery_codes_left, 9);
  await assert.rejects(person.api.createRecoveryCodes({ body: { current_password: 'not it' } }), refused(422));
  const fresh = await person.api.createRecoveryCodes({ body: { current_password: PASSWORD } });
  await assert.rejects(enter(other), refused(401, 'auth.wrong_code'));
  await enter(fresh.recovery_codes[0] as string);
});

test('a passkey is the second step, or the only one where it asked its person', async () => {
  const person = await registerPerson(app, 'Ada');
  const { passkey, recoveryCodes } = await addPasskey(app, person);
  assert.equal(recoveryCodes.length, 10);
  const origin = new URL(app.url).origin;
  const step = await untilSecondStep(app, person.email);
  assert.deepEqual(step.methods, ['passkey', 'recovery_code']);
  const options = step.passkey_options as Record<string, unknown>;
  const pass = (body: ReturnType<typeof answerRequest>) =>
    anonymous().passSecondStep({ body: { challenge: step.challenge, ...body } });
  await assert.rejects(pass(answerRequest(passkey, options, 'https://evil.example')), refused(401));
  await assert.rejects(pass(answerRequest(newPasskey(), options, origin)), refused(401));
  // As the second step a touch does.
  await pass(answerRequest(passkey, options, origin, { verified: false }));

  const alone = async (answered = passkey, more = {}) => {
    const { challenge, options } = await anonymous().beginPasskeySignIn();
    return anonymous().signInWithPasskey({ body: { challenge, ...answerRequest(answered, options, origin, more) } });
  };
  await assert.rejects(alone(passkey, { verified: false }), refused(401, 'auth.passkey_refused'));
  await assert.rejects(alone(newPasskey()), refused(401, 'auth.passkey_refused'));
  const grant = await alone();
  assert.equal((await as(grant.access_token).getMe()).id, person.userId);
  // A copy of the key is behind its counter.
  await assert.rejects(alone({ ...passkey, counter: 0 }), refused(401, 'auth.passkey_refused'));
});

test('an answer of a passkey serves its own challenge, once', async () => {
  const person = await registerPerson(app, 'Ada');
  const { passkey } = await addPasskey(app, person);
  const begun = await anonymous().beginPasskeySignIn();
  const answer = answerRequest(passkey, begun.options, new URL(app.url).origin);
  const other = await anonymous().beginPasskeySignIn();
  const send = (challenge: string) => anonymous().signInWithPasskey({ body: { challenge, ...answer } });
  await assert.rejects(send(other.challenge), refused(401, 'auth.passkey_refused'));
  await send(begun.challenge);
  await assert.rejects(send(begun.challenge), refused(409, 'auth.step_over'));
});

test('a reset of the password does not skip the second step', async () => {
  const person = await registerPerson(app, 'Ada');
  const { totp } = await addTotp(app, person);
  const pending = await untilSecondStep(app, person.email);
  await anonymous().resetPassword({ body: { email: person.email } });
  const token = tokenIn(await app.mailTo(person.email, 'asked to set a new password'));
  const answer = await anonymous().resetPassword({ body: { token, password: 'another long password' } });
  assert.equal(answer.access_token, undefined);
  await assert.rejects(person.api.getMe(), refused(401));
  await totp.later();
  const pass = (challenge = '') => anonymous().passSecondStep({ body: { challenge, code: totp.code() } });
  // What was begun with the password before goes no further.
  await assert.rejects(pass(pending.challenge), refused(409, 'auth.step_over'));
  await as((await pass(answer.second_step?.challenge)).access_token).getMe();
});

test('a blocked person is not let in by the second step either', async () => {
  const person = await registerPerson(app, 'Ada');
  const { recoveryCodes } = await addTotp(app, person);
  const { challenge } = await untilSecondStep(app, person.email);
  await app.services.db.updateTable('users').set({ is_active: false }).where('id', '=', person.userId).execute();
  const pass = anonymous().passSecondStep({ body: { challenge, recovery_code: recoveryCodes[0] as string } });
  await assert.rejects(pass, refused(403, 'account.blocked'));
});

test('factors are added and removed with the password alone, and the last one takes the recovery codes along', async () => {
  const unconfirmed = await registerPerson(app, 'Eve', { verified: false });
  await assert.rejects(
    unconfirmed.api.beginTotp({ body: { current_password: PASSWORD } }),
    refused(403, 'auth.unverified'),
  );
  const person = await registerPerson(app, 'Ada');
  await assert.rejects(person.api.beginTotp({ body: { current_password: 'not it' } }), refused(422));
  await addTotp(app, person);
  const { id } = await addPasskey(app, person);
  await assert.rejects(person.api.removeTotp({ body: { current_password: 'not it' } }), refused(422));
  await person.api.removeTotp({ body: { current_password: PASSWORD } });
  assert.deepEqual((await untilSecondStep(app, person.email)).methods, ['passkey', 'recovery_code']);
  const stranger = await registerPerson(app, 'Bob');
  const remove = { params: { passkey_id: id }, body: { current_password: PASSWORD } };
  await assert.rejects(stranger.api.removePasskey(remove), refused(404, 'passkey.not_found'));
  await person.api.removePasskey(remove);
  const { is_on, recovery_codes_left } = await person.api.getSecondFactor();
  assert.deepEqual([is_on, recovery_codes_left], [false, 0]);
  await signInAs(app, person.email);
});

test('an operator lets somebody in who lost all: audited, and mailed to the person', async () => {
  const person = await registerPerson(app, 'Ada');
  await addTotp(app, person);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  await operator.api.resetSecondFactor({ params: { user_id: person.userId } });
  await assert.rejects(person.api.getMe(), refused(401));
  const entered = await signInAs(app, person.email);
  await app.mailTo(person.email, 'removed the second factor');
  const said = async (api: typeof operator.api) =>
    (await api.listEvents({})).results.filter(({ event_type }) => event_type === 'account.second_factor_changed');
  assert.match(
    (await said(operator.api))[0]?.activity ?? '',
    new RegExp(`removed the second factor of ${person.email}`),
  );
  assert.match((await said(entered.api))[0]?.activity ?? '', /platform removed/);
  const again = operator.api.resetSecondFactor({ params: { user_id: person.userId } });
  await assert.rejects(again, refused(409, 'second_factor.off'));
});

test('one recovery code that is shown twice at once opens once', async () => {
  const person = await registerPerson(app, 'Ada');
  const { recoveryCodes } = await addTotp(app, person);
  const steps = [await untilSecondStep(app, person.email), await untilSecondStep(app, person.email)];
  const recovery_code = recoveryCodes[0] as string;
  const shown = await Promise.allSettled(
    steps.flatMap(({ challenge }) =>
      [1, 2].map(() => anonymous().passSecondStep({ body: { challenge, recovery_code } })),
    ),
  );
  assert.equal(shown.filter(({ status }) => status === 'fulfilled').length, 1);
});
