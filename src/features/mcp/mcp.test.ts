import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Caller } from '#core/auth/caller.ts';
import { finishEvent, recordEvent, reportProgress } from '#core/events/events.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { insertSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { connectByOAuth, connectByToken } from '#testkit/clients/mcp-client.ts';
import { post } from '#testkit/clients/oauth-client.ts';
import { eventually } from '#testkit/expect.ts';
import { fit, MAX_ANSWER } from './fit.ts';
import { follow } from './follow.ts';

let app: TestApp;
let ada: Person;
let site: { id: string; fqdn: string };

before(async () => {
  app = await sharedApp();
  ada = await registerPerson(app, 'Ada');
  await putOnPlan(app, ada.teamId, 'business');
  site = await newSite(ada);
});

const textOf = (answer: { content: unknown }) =>
  (answer.content as { text: string }[]).map(({ text }) => text).join('\n');
async function tokenOf(scopes: ('read' | 'plan' | 'write')[]): Promise<string> {
  return (await ada.api.createApiToken({ body: { name: 'robot', scopes } })).token;
}

test('a real client registers, is let in, lists, reads, plans a restore, and applies it once its owner has confirmed', async () => {
  const disk = siteOnDisk(app, site.id);
  await disk.write('uploads/kept.txt', 'as it was');
  const point = await disk.keep();
  await disk.write('uploads/kept.txt', 'broken');
  const { client } = await connectByOAuth(app, ada, 'plan');

  const { tools } = await client.listTools();
  const restore = tools.find(({ name }) => name === 'createPitRestore');
  assert.deepEqual(restore?.annotations?.readOnlyHint, false);
  assert.ok(restore?.inputSchema.properties?.restore_point);
  const { resources } = await client.listResources();
  const uri = `siteyard://site/${site.fqdn}`;
  assert.ok(resources.some((each) => each.uri === uri));
  const { contents } = await client.readResource({ uri });
  assert.equal(JSON.parse((contents[0] as { text: string }).text).fqdn, site.fqdn);

  const input = { fqdn: site.fqdn, restore_point: point };
  const told: string[] = [];
  const rehearsal = await client.callTool(
    { name: 'createPitRestore', arguments: { ...input, is_dry_run: true } },
    { onprogress: ({ message }) => told.push(String(message)) },
  );
  assert.equal((rehearsal.structuredContent as { passed_dry_run?: boolean }).passed_dry_run, true, textOf(rehearsal));
  assert.equal(await disk.read('uploads/kept.txt'), 'broken');

  const proposed = await client.callTool({ name: 'createPitRestore', arguments: input });
  const { proposal_id, address, state } = proposed.structuredContent as Record<string, string>;
  assert.equal(state, 'open');
  assert.equal(address, `${app.url}/proposals/${proposal_id}`);
  assert.equal(await disk.read('uploads/kept.txt'), 'broken');
  await ada.api.confirmProposal({ params: { proposal_id: proposal_id as string }, wait: 60 });
  const ended = await client.callTool({ name: 'getProposal', arguments: { proposal_id } });
  const { result } = ended.structuredContent as { result: { operation_id: string } };
  await app.services.events.waitUntilFinished(result.operation_id, 60_000);
  assert.equal(await disk.read('uploads/kept.txt'), 'as it was');
});

test('long work is waited for and told of while it goes on, and what an operation refuses is an answer to the model', async () => {
  const client = await connectByToken(app, await tokenOf(['write']));
  const subdomain = `stage-${site.fqdn.split('.')[0]}`;
  const stage = { name: 'createStage', arguments: { fqdn: site.fqdn, subdomain } };
  const told: string[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => told.push(String(message));
  const made = await client.callTool(stage, { onprogress });
  assert.ok(!made.isError, textOf(made));
  assert.equal((await ada.api.getSite({ params: { fqdn: site.fqdn } })).busy ?? null, null);
  assert.equal(told[0], 'Begun');

  const refused = await client.callTool(stage);
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /^stage\.exists: /);
  const unknown = await client.callTool({ name: 'createPitRestore', arguments: { fqdn: site.fqdn, dryrun: true } });
  assert.match(textOf(unknown), /dryrun: createPitRestore has no such field/);
  await assert.rejects(client.callTool({ name: 'createApiToken', arguments: {} }), /no tool createApiToken/);
});

test('whoever waits for work hears how far it is, and no more wait than may have a stream', async () => {
  const { db, credentials } = app.services;
  const caller = (await credentials.resolve(await tokenOf(['write']))) as Caller;
  const event = { scope: 'account', event_type: 'account.registered', activity: 'Work began', by: caller } as const;
  const eventId = await recordEvent(db, { ...event, unfinished: true });
  const told: string[] = [];
  const session = { services: app.services, caller };
  const signal = new AbortController().signal;
  const waiting = Array.from({ length: 40 }, () =>
    follow(session, eventId, { signal, tell: (message) => void told.push(message) }),
  );
  const heard = (text: string) => told.filter((message) => message === text).length;
  await eventually(async () => heard('Begun') >= 30);
  assert.equal(heard('Begun'), 30);
  await reportProgress(db, eventId, { progress: { step: 'Copying', files: 3, files_total: 7 } });
  await eventually(async () => heard('Copying, 3 of 7 files') === 30);
  await finishEvent(db, eventId, {});
  await Promise.all(waiting);
});

test('every tool has a schema that a client takes, and a token is offered only what it can do', async () => {
  const [reader, planner, writer] = await Promise.all(
    (['read', 'plan', 'write'] as const).map(async (scope) => connectByToken(app, await tokenOf([scope]))),
  );
  const lists = await Promise.all([reader, planner, writer].map((client) => client?.listTools()));
  const [read, plan, write] = lists.map((list) => list?.tools ?? []);
  assert.ok(read?.every(({ annotations }) => annotations?.readOnlyHint === true));
  assert.deepEqual(
    plan?.map(({ name }) => name),
    write?.map(({ name }) => name),
  );
  const assistants = [...app.services.operations.values()].filter(
    (operation) => operation.assistant && operation.handle,
  );
  assert.deepEqual(
    write?.map(({ name }) => name).sort(),
    [...assistants.map(({ id }) => id), 'getEvent', 'getProposal'].sort(),
  );
  for (const { name, inputSchema, annotations, description } of write ?? []) {
    assert.equal(inputSchema.type, 'object', name);
    assert.ok(description, name);
    assert.equal(
      annotations?.destructiveHint,
      [
        'runSiteCommand',
        'deleteSite',
        'deleteStage',
        'deleteExternalPath',
        'deleteSiteDomain',
        'deleteExtension',
      ].includes(name),
      name,
    );
  }
  // The client checks each of these against the schema that it was given.
  for (const name of ['listSites', 'listTeams', 'listRegions', 'listTemplates'])
    assert.ok((await writer?.callTool({ name, arguments: {} }))?.structuredContent, name);
  for (const name of ['getSite', 'getBackups', 'listSiteEvents', 'listSiteLog', 'listPitRestores'])
    assert.ok((await writer?.callTool({ name, arguments: { fqdn: site.fqdn } }))?.structuredContent, name);
  const refused = await reader?.callTool({
    name: 'updateSite',
    arguments: { fqdn: site.fqdn, http_auth_enabled: true },
  });
  assert.match(textOf(refused as never), /^auth\.insufficient_scope: /);
});

test('every revision of the protocol that is in use is spoken, with a session in none', async () => {
  const headers = { authorization: `Bearer ${ada.token}`, accept: 'application/json, text/event-stream' };
  for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { json, status } = await post(
      `${app.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      headers,
    );
    const answer = typeof json === 'string' ? JSON.parse(/^data: (.*)$/m.exec(json)?.[1] ?? '{}') : json;
    assert.deepEqual([status, answer.result?.protocolVersion], [200, protocolVersion]);
  }
  const key = (name: string) => `io.modelcontextprotocol/${name}`;
  const _meta = {
    [key('protocolVersion')]: '2026-07-28',
    [key('clientInfo')]: { name: 'x', version: '1' },
    [key('clientCapabilities')]: {},
  };
  const modern = { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
  const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } };
  const { json } = await post(`${app.url}/mcp`, discover, modern);
  assert.ok(json.result?.supportedVersions?.includes('2026-07-28'), JSON.stringify(json));
});

test('prompts name their site, names are completed, and a ticket can be read', async () => {
  const ticket = await ada.api.createTicket({
    body: { team_id: ada.teamId, subject: 'Slow', description: 'It is slow.', category: 'help' },
  });
  const client = await connectByToken(app, await tokenOf(['read']));
  const { prompts } = await client.listPrompts();
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['diagnose_site', 'plan_restore', 'review_stage'],
  );
  const prompt = await client.getPrompt({ name: 'review_stage', arguments: { fqdn: site.fqdn } });
  assert.ok(JSON.stringify(prompt.messages).includes(site.fqdn));
  const ref = { type: 'ref/prompt' as const, name: 'review_stage' };
  const { completion } = await client.complete({ ref, argument: { name: 'fqdn', value: site.fqdn.slice(0, 6) } });
  assert.deepEqual(completion.values, [site.fqdn]);
  for (let n = 0; n < 100; n++) await insertSite(app, ada, { fqdn: `other-${n}.example.com` });
  const beyond = await client.complete({ ref, argument: { name: 'fqdn', value: site.fqdn.slice(0, 6) } });
  assert.deepEqual(beyond.completion, { values: [site.fqdn], hasMore: false }, 'found behind a hundred newer ones');
  const all = (await client.complete({ ref, argument: { name: 'fqdn', value: '' } })).completion;
  assert.deepEqual([all.values.length, all.hasMore], [100, true]);
  await app.services.db.deleteFrom('sites').where('fqdn', 'like', 'other-%.example.com').execute();
  const { contents } = await client.readResource({ uri: `siteyard://ticket/${ticket.id}` });
  assert.equal(JSON.parse((contents[0] as { text: string }).text).id, ticket.id);
  await assert.rejects(client.readResource({ uri: 'siteyard://site/nobody.localhost' }), /no such resource/);
});

test('a long answer is cut to what a model can take, keeps its shape, and says how to get the rest', () => {
  const page = { count: 90, results: Array.from({ length: 90 }, (_, id) => ({ id, text: 'x'.repeat(5000) })) };
  const { value, hint } = fit(page);
  assert.ok(JSON.stringify(value).length <= MAX_ANSWER);
  assert.equal((value as typeof page).count, 90);
  assert.match(String(hint), /of the 90 results|lost their middle/);
  assert.deepEqual(fit({ a: 1 }), { value: { a: 1 }, hint: undefined });
  const shell = fit({ stdout: 'y'.repeat(1_000_000) });
  assert.match((shell.value as { stdout: string }).stdout, /characters left out/);
});
