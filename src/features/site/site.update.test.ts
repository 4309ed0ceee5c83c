import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { before, suite, test } from 'node:test';
import { recordSiteEvent, siteUrl } from '#features/instance/instance.ts';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { updateSiteJob } from './site.jobs.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

async function personOn(plan: string): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, plan);
  return person;
}

const homeOf = async (siteId: string) => {
  const database = await app.runtime.database(siteId);
  const rows = await database.query("select option_value from wp_options where option_name = 'home'");
  database.close();
  return rows[0]?.option_value;
};
const namesOf = async (siteId: string) => {
  const rows = await app.services.db.selectFrom('site_names').select('fqdn').where('site_id', '=', siteId).execute();
  return rows.map(({ fqdn }) => fqdn);
};

suite('changing a site', () => {
  test('takes effect at once, is told in an event, and an empty change changes nothing', async () => {
    const owner = await personOn('micro');
    const { fqdn } = await newSite(owner);
    const params = { fqdn };
    const body = {
      http_auth_enabled: true,
      cdn_dev_mode_enabled: true,
      cdn_firewall_enabled: true,
      cdn_firewall_allowed_ips: [
        '192.0.2.7',
        '198.51.100.9/24',
        '2001:DB8:0::1',
        '2001:db8:1::5/48',
        '::ffff:192.0.2.7',
      ],
    };
    const site = await owner.api.updateSite({ params, body });
    assert.equal(site.http_auth_enabled, true);
    assert.equal(site.busy, null);
    const cdn = site.properties.cdn as { firewall_allowed_ips: string[]; dev_mode_enabled: boolean };
    assert.equal(cdn.dev_mode_enabled, true);
    assert.deepEqual(cdn.firewall_allowed_ips, ['192.0.2.7', '198.51.100.0/24', '2001:db8::1', '2001:db8:1::/48']);
    const before = await owner.api.listSiteEvents({ params });
    assert.equal(before.results[0]?.event_type, 'site.updated');
    await owner.api.updateSite({ params, body: { http_auth_enabled: true } });
    await owner.api.updateSite({ params });
    assert.equal((await owner.api.listSiteEvents({ params })).count, before.count);
  });

  test('refuses what makes no sense: bad addresses, a firewall for nobody, what is not there yet', async () => {
    const owner = await personOn('micro');
    const params = { fqdn: (await newSite(owner)).fqdn };
    const wrong = [
      { cdn_firewall_allowed_ips: ['192.0.2.7', '192.0.2'] },
      { cdn_firewall_allowed_ips: ['192.0.2.0/33'] },
      { cdn_firewall_allowed_ips: ['0x7f.1'] },
      { cdn_firewall_allowed_ips: ['fe80::1%eth0'] },
      { cdn_firewall_enabled: true },
      { cdn_firewall_enabled: true, cdn_firewall_allowed_ips: [] },
      { git_url: 'file:///etc' },
      { code_server_password: 'short' },
      { core_version: '1.0' },
      { new_fqdn: 'a.b.localhost' },
      { new_fqdn: 'localhost.' },
    ];
    for (const body of wrong)
      await assert.rejects(owner.api.updateSite({ params, body }), refused(422), JSON.stringify(body));
    await owner.api.updateSite({
      params,
      body: { cdn_firewall_enabled: true, cdn_firewall_allowed_ips: ['192.0.2.7'] },
    });
    await assert.rejects(owner.api.updateSite({ params, body: { cdn_firewall_allowed_ips: [] } }), refused(422));
  });

  test('finds what is wrong with the request before what stands against it', async () => {
    const owner = await personOn('micro');
    const other = await personOn('micro');
    await letIn(other, owner, 'admin');
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    const { db } = app.services;
    const body = { cdn_firewall_enabled: true, team_id: other.teamId };
    await holdSite(app, site.id);
    await assert.rejects(owner.api.updateSite({ params, body }), refused(422));
    await db.updateTable('teams').set({ is_active: false }).where('id', '=', owner.teamId).execute();
    await assert.rejects(owner.api.updateSite({ params, body }), refused(422));
    await assert.rejects(owner.api.updateSite({ params, body: { is_free: true } }), refused(403, 'team.suspended'));
  });

  test('asks the plan before a site takes or leaves the free slot', async () => {
    const owner = await personOn('micro');
    const sites = [await newSite(owner), await newSite(owner), await newSite(owner)] as const;
    await assert.rejects(newSite(owner), refused(402, 'plan.sites'));
    const set = (at: 0 | 1, is_free: boolean) =>
      owner.api.updateSite({ params: { fqdn: sites[at].fqdn }, body: { is_free } });
    await set(0, true);
    await assert.rejects(set(1, true), (error) => {
      refused(402, 'plan.sites')(error);
      assert.match((error as Error).message, /Another site of the team has its one free slot/);
      return true;
    });
    await newSite(owner);
    await assert.rejects(set(0, false), refused(402, 'plan.sites'));
  });
});

suite('renaming a site', () => {
  test('rewrites its address, keeps the old name as a redirect and everything else as it was', async () => {
    const owner = await personOn('micro');
    const site = await newSite(owner);
    const new_fqdn = newFqdn();
    const renamed = await owner.api.updateSite({ wait: 60, params: { fqdn: site.fqdn }, body: { new_fqdn } });
    assert.equal(renamed.id, site.id);
    assert.equal(renamed.fqdn, new_fqdn);
    assert.equal(renamed.busy, null);
    assert.equal(await homeOf(site.id), siteUrl(app.services, new_fqdn));
    assert.deepEqual((await namesOf(site.id)).sort(), [site.fqdn, new_fqdn].sort());
    const old = await eventually(async () => {
      const answer = await visit(app, site.fqdn, '/a?b=c');
      return answer.status === 301 && answer;
    });
    assert.equal(old.headers.location, `${siteUrl(app.services, new_fqdn)}/a?b=c`);
    await assert.rejects(newSite(owner, { fqdn: site.fqdn }), refused(409, 'site.name_taken'));
    await owner.api.deleteSiteDomain({ params: { fqdn: new_fqdn, domain: site.fqdn } });
    const held = await app.services.db.selectFrom('released_names').selectAll().where('fqdn', '=', site.fqdn).execute();
    assert.equal(held[0]?.team_id, owner.teamId);
    assert.equal((await newSite(owner, { fqdn: site.fqdn })).fqdn, site.fqdn);
  });

  test('can be followed by the old and the new name, which strangers cannot use', async () => {
    const owner = await personOn('micro');
    const stranger = await personOn('micro');
    const site = await newSite(owner);
    const old = site.fqdn;
    const new_fqdn = newFqdn();
    const started = await owner.api.updateSite({ params: { fqdn: old }, body: { new_fqdn } });
    assert.deepEqual([started.fqdn, started.busy, started.properties.new_fqdn], [old, 'updating', new_fqdn]);
    for (const fqdn of [old, new_fqdn]) {
      const renamed = await eventually(async () => {
        await assert.rejects(stranger.api.getSite({ params: { fqdn } }), refused(404, 'site.not_found'));
        const found = await owner.api.getSite({ params: { fqdn } });
        assert.equal(found.id, site.id);
        return found.busy === null && found;
      });
      assert.deepEqual([renamed.fqdn, renamed.properties.new_fqdn], [new_fqdn, null]);
      await owner.api.listSiteEvents({ params: { fqdn } });
    }

    await owner.api.deleteSiteDomain({ params: { fqdn: old, domain: old } });
    await assert.rejects(owner.api.getSite({ params: { fqdn: old } }), refused(404, 'site.not_found'));
    const taken = await newSite(stranger, { fqdn: old });
    assert.equal((await stranger.api.getSite({ params: { fqdn: old } })).id, taken.id);
    await assert.rejects(owner.api.getSite({ params: { fqdn: old } }), refused(404, 'site.not_found'));
  });

  test('shows the coming name while it runs, under both names and in the list', async () => {
    const owner = await personOn('micro');
    const site = await newSite(owner);
    const new_fqdn = newFqdn();
    const { db } = app.services;
    const eventId = await recordSiteEvent(
      db,
      null,
      { ...site, kind: 'live', of_site_id: null },
      {
        event_type: 'site.updated',
        activity: 'renamed',
        detail: { new_fqdn },
        unfinished: true,
      },
    );
    await db.insertInto('site_names').values({ fqdn: new_fqdn, site_id: site.id }).execute();
    const release = await holdSite(app, site.id, 'updating', eventId);
    const shown = await Promise.all([site.fqdn, new_fqdn].map((fqdn) => owner.api.getSite({ params: { fqdn } })));
    shown.push(...(await owner.api.listSites()).results);
    await release();
    assert.deepEqual(
      shown.map(({ fqdn, properties }) => [fqdn, properties.new_fqdn]),
      Array(3).fill([site.fqdn, new_fqdn]),
    );
  });

  test('claims the new name from the first moment, and keeps the site to itself', async () => {
    const owner = await personOn('micro');
    const [site, other] = [await newSite(owner), await newSite(owner)];
    await assert.rejects(
      owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { new_fqdn: other.fqdn } }),
      refused(409, 'site.name_taken'),
    );
    const new_fqdn = newFqdn();
    const params = { fqdn: site.fqdn };
    const busy = await owner.api.updateSite({ params, body: { new_fqdn } });
    assert.equal(busy.busy, 'updating');
    const attempts = [
      newSite(owner, { fqdn: new_fqdn }),
      owner.api.updateSite({ params, body: { http_auth_enabled: true } }),
      owner.api.sleepSite({ params }),
      owner.api.deleteSite({ params }),
    ];
    const codes = (await Promise.allSettled(attempts)).map((answer) =>
      answer.status === 'rejected' ? answer.reason.code : 'done',
    );
    assert.equal(codes[0], 'site.name_taken');
    // Unless the rename has ended: then they succeed, and find no site after the deletion.
    for (const code of codes.slice(1)) assert.ok(['site.busy', 'site.not_found', 'done'].includes(code), code);
  });

  test('that fails for good leaves the site as it was', async () => {
    const owner = await personOn('micro');
    const site = await newSite(owner);
    const { db } = app.services;
    const newName = newFqdn();
    // As the request leaves it, but with a job that nobody runs.
    const event = await db
      .insertInto('events')
      .values({
        scope: 'site',
        event_type: 'site.updated',
        activity: 'x',
        team_id: owner.teamId,
        xid: '0',
        position: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db.insertInto('site_names').values({ fqdn: newName, site_id: site.id }).execute();
    await holdSite(app, site.id, 'updating', event.id);
    const payload = { siteId: site.id, eventId: event.id, newFqdn: newName };
    // Half of it was done.
    await updateSiteJob.run(payload, {
      id: 'x',
      services: app.services,
      signal: new AbortController().signal,
      commit: async () => {},
    });
    assert.equal(await homeOf(site.id), siteUrl(app.services, newName));
    await updateSiteJob.undo?.(payload, app.services);
    await updateSiteJob.abandon?.(db, payload, 'it failed', true);
    assert.equal(await homeOf(site.id), siteUrl(app.services, site.fqdn));
    assert.deepEqual(await namesOf(site.id), [site.fqdn]);
    const now = await owner.api.getSite({ params: { fqdn: site.fqdn } });
    assert.equal(now.busy, null);
    const ended = await owner.api.getEvent({ params: { event_id: event.id } });
    assert.match(String(ended.detail.failure), /as it was before/);
  });

  test('that can neither be made nor undone ends all the same, and whoever waited hears of it', async () => {
    const owner = await personOn('micro');
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    const { db } = app.services;
    const folder = join(dirname(app.runtime.contentFolder(site.id)), 'database');
    for (const name of await readdir(folder)) await writeFile(join(folder, name), 'no database at all');
    const rename = () => owner.api.updateSite({ wait: 60, params, body: { new_fqdn: newFqdn() } });
    await assert.rejects(withoutRetryWaits(db, rename), (error) => {
      refused(502, 'site.update_failed')(error);
      assert.match((error as Error).message, /could not be made; the site may not work as before/);
      return true;
    });
    assert.equal((await owner.api.getSite({ params })).busy, null);
    assert.deepEqual(await namesOf(site.id), [site.fqdn]);
  });

  test('is for admins and for the member who made the site', async () => {
    const owner = await personOn('micro');
    const [admin, member] = [await registerPerson(app), await registerPerson(app)];
    await letIn(owner, admin, 'admin');
    await letIn(owner, member, 'member');
    const site = await newSite(owner);
    const rename = (person: Person, fqdn: string) =>
      person.api.updateSite({ wait: 60, params: { fqdn }, body: { new_fqdn: newFqdn() } });
    await assert.rejects(rename(member, site.fqdn), refused(403));
    const { fqdn } = await rename(admin, site.fqdn);
    assert.notEqual(fqdn, site.fqdn);
    const own = await newSite(member, { team_id: owner.teamId });
    assert.notEqual((await rename(member, own.fqdn)).fqdn, own.fqdn);
  });
});

suite('a domain that a team let go of', () => {
  test('is held for that team for thirty days; a name under the platform is free at once', async () => {
    const owner = await personOn('micro');
    const other = await personOn('micro');
    const domain = `${randomUUID()}.example.org`;
    await newSite(owner, { fqdn: domain });
    const takenOver = await newSite(other);
    const renameTo = (new_fqdn: string) =>
      other.api.updateSite({ wait: 60, params: { fqdn: takenOver.fqdn }, body: { new_fqdn } });
    await assert.rejects(newSite(other, { fqdn: domain }), refused(409, 'site.name_taken'));
    const platformName = newFqdn();
    await owner.api.updateSite({ wait: 60, params: { fqdn: domain }, body: { new_fqdn: platformName } });
    await owner.api.deleteSiteDomain({ params: { fqdn: platformName, domain } });

    await assert.rejects(newSite(other, { fqdn: domain }), (error) => {
      refused(409, 'site.name_held')(error);
      assert.match((error as Error).message, /Another team had this domain within the last 30 days/);
      return true;
    });
    await assert.rejects(renameTo(domain), refused(409, 'site.name_held'));
    assert.deepEqual(await namesOf(takenOver.id), [takenOver.fqdn]);
    assert.equal((await other.api.listSites()).count, 1);

    // Its own team has it back at once, and lets go of it again.
    const again = { fqdn: platformName };
    await owner.api.updateSite({ wait: 60, params: again, body: { new_fqdn: domain } });
    await owner.api.deleteSiteDomain({ params: { fqdn: domain, domain: platformName } });
    assert.equal((await newSite(other, again)).fqdn, platformName);
    await owner.api.deleteSite({ params: { fqdn: domain } });
    await assert.rejects(renameTo(domain), refused(409, 'site.name_held'));
    const longAgo = new Date(Date.now() - 30.1 * 86_400_000);
    const released = app.services.db.updateTable('released_names').set({ released_at: longAgo });
    await released.where('fqdn', '=', domain).execute();
    assert.equal((await renameTo(domain)).fqdn, domain);
  });
});

suite('moving a site to another team', () => {
  test('takes its storage along, asks both teams, and tells both', async () => {
    const owner = await personOn('micro');
    const other = await personOn('micro');
    await letIn(other, owner, 'member');
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    const move = (person: Person, team_id: string) => person.api.updateSite({ params, body: { team_id } });
    await assert.rejects(move(owner, other.teamId), refused(403));
    const stranger = await registerPerson(app);
    await assert.rejects(move(owner, stranger.teamId), refused(404, 'team.not_found'));

    const members = app.services.db.updateTable('team_members').set({ role: 'admin' });
    await members.where('team_id', '=', other.teamId).where('user_id', '=', owner.userId).execute();
    const full = [await newSite(other), await newSite(other), await newSite(other)];
    const moved = async () => {
      for (;;) {
        // The change of role is announced; whoever asks a moment too early is still a member.
        const answer = await move(owner, other.teamId).catch((error) => error);
        if (answer.status !== 403) return answer;
      }
    };
    refused(402, 'plan.sites')(await moved());
    await other.api.deleteSite({ params: { fqdn: full[0]?.fqdn as string } });
    const site2 = await move(owner, other.teamId);
    assert.equal(site2.team_id, other.teamId);
    const [from, to] = await Promise.all(
      [owner, other].map((person) => person.api.getTeam({ params: { team_id: person.teamId } })),
    );
    assert.equal(from?.storage_usage, 0);
    assert.ok((to?.storage_usage ?? 0) > 2 * site.current_storage);
    for (const person of [owner, other]) {
      const events = await person.api.listTeamEvents({ params: { team_id: person.teamId } });
      assert.ok(events.results.some(({ activity }) => activity.includes(`moved ${site.fqdn}`)));
    }
    // What it did before stays in the team where it did it.
    const events = await other.api.listSiteEvents({ params });
    assert.ok(!events.results.some(({ event_type }) => event_type === 'site.created'));
  });

  test('does not lead out of a suspended team', async () => {
    const owner = await personOn('micro');
    const other = await personOn('micro');
    await letIn(other, owner, 'admin');
    const { fqdn } = await newSite(owner);
    await app.services.db.updateTable('teams').set({ is_active: false }).where('id', '=', owner.teamId).execute();
    const body = { team_id: other.teamId };
    await assert.rejects(owner.api.updateSite({ params: { fqdn }, body }), refused(403, 'team.suspended'));
  });
});
