import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerPerson, signInAs } from '#testkit/app/people.ts';
import { insertSite, newSite } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { endTestPlans, followEndedGrants } from './billing.sync.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({ env: { BILLING: 'test' } });
});
after(() => app?.close());

test('an operator gives a team a plan without payment, and takes it away again', async () => {
  const [operator, owner] = [await signInAs(app, OPERATOR.email, OPERATOR.password), await registerPerson(app)];
  const params = { team_id: owner.teamId };
  const team = await operator.api.setTeamPlan({ params, body: { plan_name: 'starter' } });
  assert.equal(team.plan_type_name, 'starter');
  for (let n = 0; n < 3; n++) await insertSite(app, owner);
  const billing = await owner.api.getTeamBilling({ params });
  assert.deepEqual(
    [billing.plan_name, billing.price_cents, billing.state, billing.limits.sites.allowed],
    ['starter', 0, 'active', 10],
  );
  await endTestPlans(app.services);
  assert.equal(
    (await owner.api.getTeam({ params })).plan_type_name,
    'starter',
    'nothing that follows payments ends it',
  );

  const back = await operator.api.setTeamPlan({ params, body: { plan_name: 'free' } });
  assert.equal(back.plan_type_name, 'free');
  const { state, expires_at } = await owner.api.getTeamBilling({ params });
  assert.equal(state, 'grace', 'more sites than free has stay for a while');
  assert.ok(expires_at);
  const { results } = await operator.api.listAnyEvents({ query: { team_id: owner.teamId } });
  const changes = results.filter(({ event_type }) => event_type === 'billing.plan_changed');
  assert.deepEqual(
    changes.map(({ activity }) => activity),
    ['The plan of the team changed from starter to free', 'The plan of the team changed from free to starter'],
  );
});

test('the grace of a plan that was taken away ends without a payment provider: with the excess, or after 14 days', async () => {
  const [operator, owner] = [await signInAs(app, OPERATOR.email, OPERATOR.password), await registerPerson(app)];
  const params = { team_id: owner.teamId };
  const { db } = app.services;
  await operator.api.setTeamPlan({ params, body: { plan_name: 'starter' } });
  const sites = [await insertSite(app, owner), await insertSite(app, owner), await insertSite(app, owner)];
  await operator.api.setTeamPlan({ params, body: { plan_name: 'free' } });
  const stateNow = async () => {
    await followEndedGrants(app.services);
    return (await owner.api.getTeamBilling({ params })).state;
  };
  assert.equal(await stateNow(), 'grace');
  const unpaid_since = new Date(Date.now() - 15 * 86_400_000);
  await db.updateTable('teams').set({ unpaid_since }).where('id', '=', owner.teamId).execute();
  assert.equal(await stateNow(), 'expired');
  await db.deleteFrom('sites').where('id', 'in', sites.slice(1)).execute();
  assert.equal(await stateNow(), 'active');
});

test('a team that pays keeps the plan that it pays for', async () => {
  const [operator, owner] = [await signInAs(app, OPERATOR.email, OPERATOR.password), await registerPerson(app)];
  await app.services.db
    .updateTable('teams')
    .set({ plan_type_name: 'micro', sub_id: 'sub_paid' })
    .where('id', '=', owner.teamId)
    .execute();
  const change = operator.api.setTeamPlan({ params: { team_id: owner.teamId }, body: { plan_name: 'business' } });
  await assert.rejects(change, refused(409, 'billing.plan_is_paid'));
});

test("an operator's own teams are not limited to the sites of a plan", async () => {
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const [team] = (await operator.api.listTeams()).results;
  assert.ok(team);
  assert.equal(team.plan_type_name, 'business');
  const person = { ...operator, userId: team.user.id, teamId: team.id };
  for (let n = 0; n < team.plan_type.sites + 1; n++) await insertSite(app, person);
  await newSite(person);
});
