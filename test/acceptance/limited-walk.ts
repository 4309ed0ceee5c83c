import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Role } from '#core/auth/caller.ts';
import { recordEvent } from '#core/events/events.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { expectedStatuses, foreignIds } from './expected-policy.ts';
import { operationOf, rows } from './operations.ts';
import { type Ingredients, makeRequest, sendRequest } from './requests.ts';
import { type Answer, type CallerName, type Person, request, type World } from './world.ts';

/** What differs from a stranger's answer, because they are in the team after all. */
const IN_THE_TEAM: Record<string, number> = {
  getTeam: 200,
  'listSites/of the team': 200,
  'createApiToken/for the team alone': 200,
  'confirmDeviceSignIn/for the team': 200,
  'decideAuthorization/for the team': 200,
  // They have to say which of their sites it is about.
  createTicket: 403,
  'createTicket/with a file': 403,
  // It is their own: nobody's ticket has it yet.
  'getAttachment/of no ticket yet': 200,
  // Nobody but the owner removes others, and everybody may leave.
  removeMember: 403,
  // The requests name a team of their own, in which they are not.
  transferTeam: 404,
  deleteTeam: 404,
  setAdditionalSites: 404,
  'removeMember/self': 200,
};

/** They know the team, so what is for all of it is forbidden to them, and not missing. */
function isForWholeTeam(row: string): boolean {
  const { id, path } = operationOf(row);
  if (path.startsWith('/site/{fqdn}')) return false;
  const positions = ['params.team_id', 'query.team_id', 'body.team_id', 'body.for_team_id'];
  return positions.some((position) => {
    const refusal = foreignIds.get(`${id} ${position}`);
    return refusal !== undefined && refusal !== 'public' && refusal.code === 'team.not_found';
  });
}

function expectedOfLimited(row: string): number | undefined {
  const ofStranger = expectedStatuses.get(row)?.stranger;
  return IN_THE_TEAM[row] ?? (ofStranger === 404 && isForWholeTeam(row) ? 403 : ofStranger);
}

/** Walks the whole table with somebody who is in the team Home for one site alone. */
export function walkLimited(open: () => { app: TestApp; world: World }): void {
  let app: TestApp;
  let world: World;
  let own: { id: string; fqdn: string };
  let other: { id: string; fqdn: string };

  async function newcomer(role: Role = 'admin'): Promise<{ person: Person; token: string }> {
    const person = await world.user();
    await world.isLimitedTo(world.home.teamId, person, own.id, role);
    return { person, token: await world.credential(person) };
  }

  /** Valid requests about things of Home that are none of the site that they are limited to. */
  function make(row: string, { person, token }: { person: Person; token: string }, caller: CallerName) {
    const theirs = { ...world, person: () => person, token: () => token };
    return makeRequest(row, { world: theirs, caller, place: world.home });
  }

  const send = (row: string, made: Ingredients, token: string): Promise<Answer> =>
    sendRequest(app, operationOf(row), made, { token });

  before(async () => {
    ({ app, world } = open());
    own = await world.site(world.home.teamId, world.home.owner);
    other = await world.site(world.home.teamId, world.home.owner);
    for (const site of [own, other])
      await recordEvent(app.services.db, {
        scope: 'site',
        event_type: 'site.updated',
        activity: `Something happened to ${site.fqdn}`,
        by: null,
        team_id: world.home.teamId,
        site_live_id: site.id,
        fqdn: site.fqdn,
      });
  });

  suite('members who are limited to one site may not use the rest of the team, and its sites do not exist for them', () => {
    for (const row of rows) {
      test(row, async () => {
        const limited = await newcomer();
        const made = await make(row, limited, 'stranger');
        const answer = await send(row, made, limited.token);
        const expected = expectedOfLimited(row);
        assert.equal(answer.status, expected, `${answer.status} ${answer.text.slice(0, 300)}`);
        assert.ok(
          !answer.text.includes(other.fqdn) && !answer.text.includes(other.id),
          `${row} tells of the other site`,
        );
      });
    }

    test('lists, searches and events have their one site, and nothing of the other', async () => {
      const { token } = await newcomer('viewer');
      const read = async (path: string) => (await request(app, 'GET', path, { token })).json.results;
      assert.deepEqual(
        (await read('/site')).map(({ id }: { id: string }) => id),
        [own.id],
      );
      assert.deepEqual(await read(`/site?search=${other.fqdn}`), []);
      assert.deepEqual(await read(`/event?fqdn=${other.fqdn}`), []);
      assert.equal((await read(`/event?fqdn=${own.fqdn}`)).length, 1);
      const happened = (await read('/event')).map(({ site_live_id }: { site_live_id: string }) => site_live_id);
      assert.deepEqual(happened, [own.id]);
    });
  });

  suite('on the site that they are limited to they are what they are there', () => {
    const onSite = rows.filter((row) => operationOf(row).path.startsWith('/site/{fqdn}'));
    for (const row of onSite) {
      test(row, async () => {
        for (const role of ['viewer', 'member'] as const) {
          const person = await world.user();
          const limited = { person, token: await world.credential(person) };
          const made = await make(row, limited, role);
          const { db } = app.services;
          const site = db.selectFrom('sites').select('id').where('fqdn', '=', String(made.params?.fqdn));
          await world.isLimitedTo(world.home.teamId, person, (await site.executeTakeFirstOrThrow()).id, role);
          const answer = await send(row, made, limited.token);
          const expected = expectedStatuses.get(row)?.[role];
          assert.equal(answer.status, expected, `as ${role}: ${answer.status} ${answer.text.slice(0, 300)}`);
        }
      });
    }
  });

  test('whoever is limited hears nothing more of the rest at once: streams, tokens and sites', async () => {
    const owner = world.token('owner');
    const person = await world.user();
    const id = await world.joins(world.home.teamId, person, 'admin');
    const token = await world.credential(person);
    const stream = await fetch(`${app.api}/event/stream`, { headers: { authorization: `Bearer ${token}` } });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const bound = await world.credential(person, { kind: 'api_token', teamId: world.home.teamId });
    const status = async (with_: string, fqdn: string) =>
      (await request(app, 'GET', `/site/${fqdn}`, { token: with_ })).status;
    assert.equal(await status(token, other.fqdn), 200);
    const body = { sites: [{ site_id: own.id, role: 'member' }] };
    const path = `/team/${world.home.teamId}/member/${id}`;
    const limited = await request(app, 'PATCH', path, { token: owner, body });
    assert.equal(limited.json.role, 'limited', limited.text);
    assert.deepEqual(limited.json.sites, [{ site_id: own.id, fqdn: own.fqdn, role: 'member' }]);
    for (const each of [token, bound]) {
      assert.equal(await status(each, other.fqdn), 404);
      assert.equal(await status(each, own.fqdn), 200);
    }
    // It ends by itself; reading goes on for ever otherwise.
    while (!(await reader.read()).done);
    // And back again.
    await request(app, 'PATCH', path, { token: owner, body: { role: 'viewer' } });
    assert.equal(await status(token, other.fqdn), 200);
  });

  test('a site that goes to another team takes nobody along, and a site of another team can not be given', async () => {
    const moving = await world.site(world.home.teamId, world.home.owner);
    const person = await world.user();
    await world.isLimitedTo(world.home.teamId, person, moving.id, 'member');
    const token = await world.credential(person);
    const read = async () => (await request(app, 'GET', `/site/${moving.fqdn}`, { token })).status;
    assert.equal(await read(), 200);
    const target = await world.team(world.home.owner);
    const body = { team_id: target };
    const moved = await request(app, 'PATCH', `/site/${moving.fqdn}`, { token: world.token('owner'), body });
    assert.equal(moved.status, 200, moved.text);
    await eventually(async () => (await read()) === 404);
    const id = await world.joins(world.home.teamId, await world.user(), 'member');
    const path = `/team/${world.home.teamId}/member/${id}`;
    const given = { sites: [{ site_id: moving.id, role: 'member' }] };
    assert.equal((await request(app, 'PATCH', path, { token: world.token('owner'), body: given })).status, 422);
  });
}
