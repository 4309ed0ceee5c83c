import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { challengeOf, verifierOf } from '#testkit/clients/metrics-client.ts';
import { backTo, faultOfChallenge, isIssuedTo } from './authorization-code.ts';

const REDIRECT = 'https://grafana.example/login';
const verifier = verifierOf();
const challenge = challengeOf(verifier);
const plain = { client_id: 'grafana', redirect_uri: REDIRECT, code_challenge: null };
const withPkce = { ...plain, code_challenge: challenge };
const shown = { client_id: 'grafana', redirect_uri: REDIRECT, code_verifier: undefined };

suite('a code is shown rightly', () => {
  test('by its client, for its redirect URI and with the verifier of its challenge', () => {
    assert.ok(isIssuedTo(plain, shown));
    assert.ok(isIssuedTo(plain, { ...shown, code_verifier: '' }));
    assert.ok(isIssuedTo(withPkce, { ...shown, code_verifier: verifier }));
  });

  const wrong: Record<string, [code: typeof plain | typeof withPkce, shown: object]> = {
    'by another client': [plain, { client_id: 'other' }],
    'for another redirect URI, be it a registered one': [plain, { redirect_uri: `${REDIRECT}?via=siteyard` }],
    'for one that is written differently': [plain, { redirect_uri: `${REDIRECT}/` }],
    "with another person's verifier": [withPkce, { code_verifier: verifierOf() }],
    'with the challenge as its verifier': [withPkce, { code_verifier: challenge }],
    'with no verifier': [withPkce, {}],
    'with an empty verifier': [withPkce, { code_verifier: '' }],
    'with a verifier that is too short': [
      { ...plain, code_challenge: challengeOf('short') },
      { code_verifier: 'short' },
    ],
    'with a verifier where none was announced': [plain, { code_verifier: verifier }],
  };
  for (const [what, [code, change]] of Object.entries(wrong))
    test(`and not ${what}`, () => {
      assert.ok(!isIssuedTo(code, { ...shown, ...change }));
    });
});

test('a challenge is a SHA-256 in base64url, and its method is named', () => {
  assert.equal(faultOfChallenge(challenge, 'S256'), undefined);
  for (const method of [undefined, '', 'plain', 's256'])
    assert.match(String(faultOfChallenge(challenge, method)), /S256/);
  for (const wrong of [undefined, '', 'short', `${challenge}x`, `${challenge.slice(1)}=`])
    assert.match(String(faultOfChallenge(wrong, 'S256')), /43 characters/);
});

test('the way back keeps the query of the redirect URI and has nothing that is empty', () => {
  assert.equal(backTo(REDIRECT, { code: 'a b', state: undefined, iss: '' }), `${REDIRECT}?code=a+b`);
  assert.equal(backTo(`${REDIRECT}?via=x`, { code: 'a' }), `${REDIRECT}?via=x&code=a`);
});
