import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTlsApp } from '#testkit/app/tls-app.ts';
import { eventually } from '#testkit/expect.ts';

/**
 * What testssl.sh finds (on Debian: apt-get install testssl.sh bsdextrautils dnsutils). It takes minutes, so that it runs where it is asked for; the list of
 * core/http/tls/tls.test.ts holds the same each time.
 *
 *   TESTSSL=1 npm test -- test/tls/testssl
 */
const PROGRAM = '/usr/bin/testssl';
const skip = process.env.TESTSSL === '1' ? !existsSync(PROGRAM) && 'no testssl.sh here' : 'the long form: TESTSSL=1';

interface Finding {
  id: string;
  severity: string;
  finding: string;
}

/** What an authority on loopback has not, and no setting of TLS: where to ask about revoked ones, a record of who may issue, a public log. */
const OF_THE_AUTHORITY =
  /^(cert_(chain_of_trust|trust|crlDistributionPoints|ocspURL|revocation|caIssuers|extlifeSpan|validityPeriod|eTLS|expirationStatus)|OCSP_stapling|DNS_CAArecord|certificate_transparency|scan)/;

/**
 * It can not try two things where no certificate is shown to who names no host, which openssl shows in tls.test.ts; `/` is compressed and holds no
 * secret; and GOST is nobody's here.
 */
const KNOWN = /^(engine_problem|secure_renego|sessionresumption_ticket|BREACH)$/;

test('testssl.sh has nothing against the settings', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'testssl-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tls = await startTlsApp({ env: { HSTS_SECONDS: '31536000' } });
  t.after(() => tls.close());
  await eventually(() =>
    tls.visit('localhost', '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const [root, found] = [join(folder, 'root.pem'), join(folder, 'found.json')];
  writeFileSync(root, tls.authority.root);
  const how = [
    '--quiet',
    '--color',
    '0',
    '--warnings',
    'off',
    '--ip',
    '127.0.0.1',
    '--add-ca',
    root,
    '--jsonfile',
    found,
  ];
  const options = { cwd: folder, env: { ...process.env, TERM: 'dumb' }, maxBuffer: 2 ** 26 };
  // Its exit code counts the findings.
  await promisify(execFile)(PROGRAM, [...how, `localhost:${tls.httpsPort}`], options).catch(() => {});
  const findings = JSON.parse(readFileSync(found, 'utf8')) as Finding[];
  assert.ok(findings.length > 100, 'it came to its end');
  const against = findings.filter(
    ({ severity, id }) => !/^(OK|INFO)$/.test(severity) && !OF_THE_AUTHORITY.test(id) && !KNOWN.test(id),
  );
  console.log(
    `${findings.length} findings, ${findings.filter(({ severity }) => severity === 'OK').length} of them good`,
  );
  assert.deepEqual(against, []);
});
