import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { API_PREFIX, type Operation } from '#core/http/operation.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { expectedStatuses } from './expected-policy.ts';
import { sharedWorld } from './open-world.ts';
import { allOperations, operationOf, rows } from './operations.ts';
import { makeRequest, sendRequest } from './requests.ts';
import { type Answer, request, type World } from './world.ts';

/** Null in an optional field of a body means that it is not given, in every operation. */
let app: TestApp;
let world: World;

before(async () => {
  ({ app, world } = await sharedWorld());
});

interface Property {
  type?: string | string[];
  items?: Property;
  properties?: object;
  required?: string[];
}
interface BodySchema {
  properties: Record<string, Property>;
  required?: string[];
}

/** Here null has a meaning of its own: unlink the repository, take the instructions away, the platform's first region, no cluster. */
const MEANINGFUL = [
  'updateMe default_region',
  'updateRegion cluster',
  'updateSite git_url',
  'updateTicket assistant_custom_instructions',
];
const bodyOf = (operation: Operation) => operation.body as unknown as BodySchema;
const takesFields = allOperations.filter(({ body }) => body !== undefined);
const optionalFields = (operation: Operation) => {
  const { properties, required = [] } = bodyOf(operation);
  return Object.keys(properties).filter((name) => !required.includes(name));
};
const isMeaningful = (operation: Operation, name: string) => MEANINGFUL.includes(`${operation.id} ${name}`);

test('null has a meaning of its own where that was decided, and nowhere else', () => {
  const admitting = takesFields.flatMap((operation) => {
    const entries = Object.entries(bodyOf(operation).properties);
    const admitsNull = entries.filter(([, { type = 'null' }]) => [type].flat().includes('null'));
    return admitsNull.map(([name]) => `${operation.id} ${name}`);
  });
  assert.deepEqual(admitting.sort(), MEANINGFUL.toSorted());
});

test('no body has an object inside it with optional fields, which the reader would not look at', () => {
  const hasOptional = ({ properties = {}, required = [] }: Property) =>
    Object.keys(properties).some((name) => !required.includes(name));
  const nested = takesFields.filter((operation) =>
    Object.values(bodyOf(operation).properties).some((each) => hasOptional(each) || hasOptional(each.items ?? {})),
  );
  assert.deepEqual(
    nested.map(({ id }) => id),
    [],
  );
});

suite('null says the same as leaving the field out', () => {
  for (const row of rows) {
    const operation = operationOf(row);
    if (!operation.body) continue;
    for (const name of optionalFields(operation).filter((each) => !isMeaningful(operation, each))) {
      test(`${row}: ${name}`, async () => {
        const caller = expectedStatuses.get(row)?.owner === 200 ? 'owner' : 'operator';
        const send = async (more: object) => {
          const made = await makeRequest(row, { world, caller, place: world.home });
          const { [name]: _left, ...body } = made.body as Record<string, unknown>;
          return comparable(
            await sendRequest(app, operation, { ...made, body: { ...body, ...more } }, { token: world.token(caller) }),
          );
        };
        assert.deepEqual(await send({ [name]: null }), await send({}));
      });
    }
  }
});

/** What was made is new each time; how the answer looks, what it refuses and why is the same. */
function comparable({ status, json }: Answer): unknown {
  const shape = (value: unknown): unknown => {
    // How many there are grows with each call.
    if (Array.isArray(value)) return value.map(shape).slice(0, 1);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
    return typeof value === 'string' || typeof value === 'number' ? typeof value : value;
  };
  return { status, answer: status < 300 ? shape(json) : json };
}

test('in a required field null is a fault, in the words of Pydantic', async () => {
  const body = { team_id: null, subject: null, description: 'Text', resolved: null };
  const answer = await request(app, 'POST', '/support/ticket', { token: world.token('owner'), body });
  assert.deepEqual(
    answer.json.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type]),
    [
      ['body.team_id', 'string_type'],
      ['body.subject', 'string_type'],
    ],
  );
});

test('null where it has a meaning does what it means', async () => {
  const token = world.token('owner');
  const ticket = `/support/ticket/${await world.ticket(world.home.teamId, world.person('owner'))}`;
  const set = await request(app, 'PATCH', ticket, { token, body: { assistant_custom_instructions: 'Be brief' } });
  assert.equal(set.json.assistant_custom_instructions, 'Be brief');
  assert.equal(
    (await request(app, 'PATCH', ticket, { token, body: {} })).json.assistant_custom_instructions,
    'Be brief',
  );
  const cleared = await request(app, 'PATCH', ticket, { token, body: { assistant_custom_instructions: null } });
  assert.equal(cleared.json.assistant_custom_instructions, null);
});

test('the document says that an optional field may be null, and that a required one may not', async () => {
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: BodySchema }> } }>>;
  };
  for (const { id, path, method } of takesFields) {
    const described = document.paths[API_PREFIX + path]?.[method.toLowerCase()];
    assert.ok(described, id);
    for (const { schema } of Object.values(described.requestBody.content))
      for (const [name, { type = [] }] of Object.entries(schema.properties))
        assert.equal(type.includes('null'), !schema.required?.includes(name), `${id} ${name}`);
  }
});
