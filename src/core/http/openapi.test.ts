import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp, takeUndeclared } from '#testkit/app/test-app.ts';
import { failuresOf } from './declared.ts';
import { keepsAnswer, type Operation } from './operation.ts';

const operations = operationsOf(features);

/** What the OpenAPI document says of each operation, held against what the operations do. */
interface Answer {
  $ref?: string;
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: Schema }>;
}
interface Schema {
  $ref?: string;
  type?: string;
  allOf?: Schema[];
  properties?: Record<string, { enum?: string[] }>;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  'x-name'?: string;
}
interface Described {
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, Answer>;
}

let app: TestApp;
let person: Person;
let source: string;
let document: {
  openapi: string;
  paths: Record<string, Record<string, Described & { 'x-assistant-enabled'?: true }>>;
  components: { responses: Record<string, Answer>; parameters: Record<string, Parameter> };
};

before(async () => {
  app = await startTestApp();
  person = await registerPerson(app, 'Ada');
  source = await (await fetch(`${app.url}/openapi.json`)).text();
  document = JSON.parse(source);
});
after(() => app?.close());

function describedAs(id: string): Described {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return all.find(({ operationId }) => operationId === id) as Described;
}

const lastOf = (reference: string) => reference.split('/').at(-1) as string;
const answerAt = (id: string, status: number): Answer | undefined => {
  const answer = describedAs(id).responses[status];
  return answer?.$ref ? document.components.responses[lastOf(answer.$ref)] : answer;
};
const parametersOf = (id: string): Parameter[] =>
  (describedAs(id).parameters ?? []).map((each) =>
    each.$ref ? (document.components.parameters[lastOf(each.$ref)] as Parameter) : each,
  );
const codesAt = (id: string, status: number): string[] =>
  Object.values(answerAt(id, status)?.content ?? {}).flatMap(({ schema }) =>
    (schema.allOf ?? []).flatMap(({ properties }) => properties?.code?.enum ?? []),
  );

test('the document passes a linter, and marks what the assistant may call', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  assert.deepEqual(
    problems
      .filter(({ severity }) => severity === 'error')
      .map(({ message, location }) => [message, location[0]?.pointer]),
    [],
  );
  assert.match(document.openapi, /^3\.1/);
  assert.equal(document.paths['/f/api/v1/team']?.get?.['x-assistant-enabled'], true);
});

suite('every failure of an operation is there, by its status and its code', () => {
  for (const operation of operations) {
    test(operation.id, () => {
      for (const { code, status } of failuresOf(operation)) {
        const answer = answerAt(operation.id, status);
        assert.match(answer?.description ?? '', new RegExp(`\`${code.replace('.', '\\.')}\``));
        // A 422 about fields has no code.
        if (code !== 'request.invalid') assert.ok(codesAt(operation.id, status).includes(code), code);
      }
      for (const status of [500, 503]) assert.ok(answerAt(operation.id, status), String(status));
    });
  }
});

suite('headers are there where they apply', () => {
  const always = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  for (const operation of operations) {
    test(operation.id, () => {
      const { responses } = describedAs(operation.id);
      for (const [status, answer] of Object.entries(responses)) {
        if (status === '4XX') continue;
        const { headers = {} } = answer.$ref ? (document.components.responses[lastOf(answer.$ref)] as Answer) : answer;
        for (const name of always) assert.ok(headers[name], `${status} ${name}`);
        assert.equal('Retry-After' in headers, ['429', '503'].includes(status), status);
        assert.equal('WWW-Authenticate' in headers, status === '401', status);
        assert.equal('Idempotent-Replayed' in headers, status === '200' && keepsAnswer(operation), status);
        assert.equal('Operation-Id' in headers, status === '200' && operation.goesOn === true, status);
      }
      const sent = parametersOf(operation.id).filter(({ in: place }) => place === 'header');
      const expected = [
        ...(keepsAnswer(operation) ? ['Idempotency-Key'] : []),
        ...(operation.goesOn ? ['Prefer'] : []),
      ];
      assert.deepEqual(
        sent.map(({ name }) => name),
        expected,
      );
    });
  }
});

test('removing a member takes the id of the user, by its own name, on the path that it shares', async () => {
  const shared = '/f/api/v1/team/{team_id}/member/{team_member_id}';
  assert.equal(document.paths[shared]?.get?.operationId, 'getMember');
  assert.equal(document.paths[shared]?.delete?.operationId, 'removeMember');
  const named = parametersOf('removeMember').find((parameter) => parameter['x-name'] === 'team_member_user_id');
  assert.match(named?.description ?? '', /^`team_member_user_id`: The id of the user/);
  assert.equal(parametersOf('getMember').find(({ name }) => name === 'team_member_id')?.['x-name'], undefined);
});

test('what is no JSON is described as what it is', () => {
  assert.deepEqual(Object.keys(answerAt('getPitRestore', 200)?.content ?? {}), ['application/json', 'text/plain']);
  const steps = describedAs('authorizeMetrics').responses;
  assert.ok(steps[302]?.headers?.Location);
  assert.equal(steps[200], undefined);
  assert.ok(describedAs('getBlob').responses[206]?.headers?.['Content-Range']);
  assert.equal(
    answerAt('receivePaymentEvent', 200)?.content?.['application/json']?.schema.$ref,
    '#/components/schemas/Empty',
  );
});

test('a 500 carries the id of the request, and the token operations what OAuth wants', () => {
  const [base] = answerAt('getTeam', 500)?.content?.['application/json']?.schema.allOf ?? [];
  assert.equal(base?.$ref, '#/components/schemas/InternalError');
  for (const id of ['signIn', 'exchangeMetricsCode']) {
    const [, own] = answerAt(id, 401)?.content?.['application/json']?.schema.allOf ?? [];
    assert.ok(own?.properties?.error && own.properties.error_description);
  }
});

suite('an answer that was not declared is noticed', () => {
  const send = (path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(app.api + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  /** The operation as it would be if somebody had forgotten it. */
  async function forgetting(id: string, work: () => Promise<unknown>): Promise<string[]> {
    const operation = operations.find((each) => each.id === id) as Operation;
    const { errors, goesOn } = operation;
    delete operation.errors;
    delete operation.goesOn;
    try {
      await work();
      return takeUndeclared();
    } finally {
      Object.assign(operation, { errors, ...(goesOn && { goesOn }) });
    }
  }

  test('a failure', async () => {
    const missing = () => send(`/event/${crypto.randomUUID()}`);
    assert.equal((await missing()).status, 404);
    assert.deepEqual(takeUndeclared(), []);
    assert.deepEqual(await forgetting('getEvent', missing), ['getEvent: 404 event.not_found']);
  });

  test('a failure that is kept under a key', async () => {
    const read = () =>
      send('/event/read', { event_id: crypto.randomUUID() }, { 'idempotency-key': crypto.randomUUID() });
    assert.equal((await read()).status, 404);
    assert.deepEqual(takeUndeclared(), []);
    assert.deepEqual(await forgetting('readEvents', read), ['readEvents: 404 event.not_found']);
  });

  test('work that goes on', async () => {
    const invite = (name: string) => () =>
      send(`/team/${person.teamId}/invite`, { target_email: `${name}@example.com`, first_name: 'A' });
    assert.ok((await invite('first')()).headers.get('operation-id'));
    assert.deepEqual(takeUndeclared(), []);
    assert.deepEqual(await forgetting('createInvite', invite('second')), ['createInvite: the header Operation-Id']);
  });
});
