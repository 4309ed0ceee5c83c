import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Ledger, Write } from './writers.ts';

/**
 * Notes, in the transaction that does it, when an event is finished and when an invite's job is completed. Both must
 * happen once for each invite and in one transaction, whenever the kill came.
 */
export async function installAudit(client: pg.Client): Promise<void> {
  await client.query(`
    create table kill_audit (what text not null, event_id uuid not null, xid xid8 not null default pg_current_xact_id());
    create function audit_event() returns trigger language plpgsql as $$
    begin
      insert into kill_audit (what, event_id) values ('event', new.id);
      return null;
    end $$;
    create trigger kill_audit after update on events for each row
      when (old.finished_at is null and new.finished_at is not null) execute function audit_event();
    create function audit_job() returns trigger language plpgsql as $$
    begin
      insert into kill_audit (what, event_id) values ('job', (new.data -> 'payload' ->> 'eventId')::uuid);
      -- A team may have only so many open invites, so one that was mailed counts as used here.
      update team_invites set accepted_at = now() where id = (new.data -> 'payload' ->> 'inviteId')::uuid;
      return null;
    end $$;
    create trigger kill_audit after update on jobs.job for each row
      when (old.state <> 'completed' and new.state = 'completed' and new.data ->> 'kind' = 'invite.mail') execute function audit_job()`);
}

/** The jobs that are not done yet; those of the clock come and go by themselves. */
export async function countPendingJobs(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "select count(*)::int as n from jobs.job where state < 'completed' and name in ('site', 'background', 'dead')",
  );
  return rows[0].n;
}

/** Compares what was acknowledged with what is there. Returns one line for each thing that is wrong. */
export async function verify(client: pg.Client, ledger: Ledger, dataDir: string): Promise<string[]> {
  const faults = [...ledger.faults];
  const rows = async (sql: string) => (await client.query(sql)).rows as Record<string, string>[];
  const expectNone = async (what: string, sql: string) => {
    for (const row of await rows(sql)) faults.push(`${what}: ${JSON.stringify(row)}`);
  };

  const marks = {
    ticket: 'select subject as mark from tickets',
    reply: 'select description as mark from ticket_replies',
    invite: "select split_part(target_email, '@', 1) as mark from team_invites",
    team: "select detail -> 'changed' ->> 'name' as mark from events where event_type = 'team.updated'",
  };
  for (const [kind, sql] of Object.entries(marks)) {
    const written = (await rows(sql)).map((row) => row.mark as string);
    faults.push(...compare(kind, ledger.writes, written));
  }
  faults.push(...(await checkTeamNames(client, ledger)));

  const pairs = `
    select 'ticket.opened' as event_type, id from tickets union all
    select 'ticket.replied', ticket_id from ticket_replies union all
    select 'member.invited', id from team_invites`;
  await expectNone(
    'a record without its event, or the other way round',
    `select event_type, id, sum(n) as surplus from (
       select event_type, id, 1 as n from (${pairs}) p union all
       select event_type, item_id, -1 from events where event_type in ('ticket.opened', 'ticket.replied', 'member.invited')
     ) both_sides group by event_type, id having sum(n) <> 0`,
  );
  await expectNone(
    'an invite whose event is not finished well',
    "select id, detail, finished_at from events where event_type = 'member.invited' and (finished_at is null or not (detail ->> 'mailed')::boolean)",
  );
  await expectNone(
    'an event and its job that did not end once and together',
    `select e.id, array_agg(a.what || ' ' || a.xid::text) as ends from events e left join kill_audit a on a.event_id = e.id
     where e.event_type = 'member.invited' group by e.id
     having count(*) filter (where a.what = 'event') <> 1 or count(*) filter (where a.what = 'job') <> 1 or count(distinct a.xid::text) <> 1`,
  );
  // What is due by the clock waits under two names: pg-boss' own, and then ours.
  await expectNone(
    'a job left over',
    "select id, name, state, data from jobs.job where state < 'completed' and name not in ('scheduled', '__pgboss__send-it')",
  );
  await expectNone('a job failed for good', 'select id, kind, error from failed_jobs');

  const keys = new Set((await rows('select key from idempotent_answers')).map((row) => row.key));
  for (const { key, kind, mark } of ledger.writes)
    if (key !== undefined && !keys.delete(key)) faults.push(`${kind} ${mark}: no answer is kept for its key`);
  for (const key of keys) faults.push(`an answer is kept for the key ${key}, which nobody sent`);

  const invited = (await rows('select target_email from team_invites')).map((row) => row.target_email as string);
  faults.push(...checkMails(join(dataDir, 'mail'), invited));
  return faults;
}

/** Acknowledged: once. In doubt: once or not at all. Anything else was never asked for. */
function compare(kind: string, writes: Write[], written: string[]): string[] {
  const counts = Map.groupBy(written, (mark) => mark);
  const faults: string[] = [];
  for (const write of writes) {
    if (write.kind !== kind) continue;
    const count = counts.get(write.mark)?.length ?? 0;
    counts.delete(write.mark);
    if (count > 1 || (write.acknowledged && count === 0)) {
      const state = write.acknowledged ? 'acknowledged' : 'in doubt';
      faults.push(`${kind} ${write.mark}: ${state} after ${write.attempts} attempts, and there ${count} times`);
    }
  }
  for (const mark of counts.keys()) faults.push(`${kind} ${mark}: there, but nobody wrote it`);
  return faults;
}

/** A team has the name that was acknowledged last, or one that was in doubt since. */
async function checkTeamNames(client: pg.Client, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const byTeam = Map.groupBy(
    ledger.writes.filter((write) => write.kind === 'team'),
    (write) => write.teamId,
  );
  for (const [teamId, writes] of byTeam) {
    const { rows } = await client.query('select name from teams where id = $1', [teamId]);
    const last = writes.findLastIndex((write) => write.acknowledged);
    const possible = writes.slice(Math.max(0, last)).map((write) => write.mark);
    if (last >= 0 && !possible.includes(rows[0]?.name)) faults.push(`team ${teamId}: an older name came back`);
  }
  return faults;
}

function checkMails(folder: string, invited: string[]): string[] {
  const faults: string[] = [];
  const names = readdirSync(folder);
  for (const name of names) if (!name.endsWith('.eml')) faults.push(`a mail half written: ${name}`);
  const mails = names.filter((name) => name.endsWith('.eml')).map((name) => readFileSync(join(folder, name), 'utf8'));
  const toInvited = mails.filter((mail) => mail.includes('@invited.example\n'));
  const counts = Map.groupBy(toInvited, (mail) => /^To: (.*)$/m.exec(mail)?.[1]);
  for (const mail of toInvited)
    if (!/\/invite\?token=\S+\n[\s\S]*<\/html>\n\n--=_part_of_a_letter--\n$/.test(mail))
      faults.push(`a mail without its end: ${mail}`);
  for (const address of invited) {
    const count = counts.get(address)?.length ?? 0;
    counts.delete(address);
    if (count !== 1) faults.push(`${address} has ${count} mails`);
  }
  for (const address of counts.keys()) faults.push(`a mail to ${address}, who was not invited`);
  return faults;
}
