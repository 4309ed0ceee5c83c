import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createClient } from '#sdk';
import { signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

test('regions are seeded, read by anyone, edited by operators, and the last one stays', async () => {
  const anonymous = createClient({ baseUrl: app.url });
  const { api } = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const [local] = await anonymous.listRegions();
  assert.equal(local?.name, 'local');
  assert.equal(local?.site_domain, 'localhost');
  await assert.rejects(api.deleteRegion({ params: { region_id: local?.id as number } }), refused(409, 'region.last'));

  const body = {
    name: 'fra',
    city: 'Frankfurt',
    country: 'Germany',
    country_code: 'DE',
    cname: 'fra.example.net',
    ip: '192.0.2.7',
    name_servers: ['ns1.example.net'],
  };
  const region = await api.createRegion({ body });
  const shown = (await api.listAllRegions()).find(({ id }) => id === region.id);
  assert.deepEqual([region.cluster, shown?.cluster], [null, null]);
  const read = async (path: string) => JSON.stringify(await (await fetch(`${app.api}/region${path}`)).json());
  for (const path of ['', `/${region.id}`]) assert.doesNotMatch(await read(path), /cluster/, path);
  await assert.rejects(api.createRegion({ body }), refused(409, 'region.exists'));
  const params = { region_id: region.id };
  await assert.rejects(api.updateRegion({ params, body: { name: 'local' } }), refused(409, 'region.exists'));
  await assert.rejects(api.updateRegion({ params, body: { ip: 'not an address' } }), refused(422));
  await api.updateRegion({ params, body: { ip: '2001:db8::7' } });
  assert.equal((await anonymous.getRegion({ params })).ip, '2001:db8::7');
  await api.deleteRegion({ params });
  await assert.rejects(anonymous.getRegion({ params }), refused(404, 'region.not_found'));
});
