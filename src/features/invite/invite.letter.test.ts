import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Invitation, inviteLetter } from './invite.letter.ts';

const URL = 'https://panel.example.org/invite?token=abc';
const invitation = (more: Partial<Invitation>): Invitation => ({
  team_name: 'Harbor Works',
  inviter_name: 'Ada Lovelace',
  inviter_email: 'ada@example.com',
  first_name: 'Bob',
  message: null,
  role: 'member',
  site_ids: null,
  ...more,
});
/** What mail programs make links of: addresses of pages, host names, and addresses of mailboxes. */
const LINKED = /\b[a-z][a-z0-9+.-]*:\/\/\S+|\bwww\.\S+|[\w-]+(?:[.。．｡][\w-]+)+|[\w.+-]+@[\w.-]+/gi;

test('an invite has no link but its own, whatever its team, its inviter and its message are called', () => {
  for (const bait of [
    'https://evil.example/win',
    'evil.example',
    'Win at www.evil.example/now!',
    'HTTP://EVIL.EXAMPLE',
    'http://198.51.100.7/x',
    'prize@evil.example',
    'evil。example',
    'mailto:prize@evil.example',
  ]) {
    const more = { team_name: bait, inviter_name: bait, first_name: bait, message: `Hi,\nsee ${bait}` };
    const { subject, text, html } = inviteLetter(invitation(more), URL);
    const words = html.replace(/<style>.*?<\/style>/s, '').replaceAll(/<[^>]*>/g, ' ');
    for (const part of [subject, text, words]) {
      const found = part.match(LINKED) ?? [];
      assert.deepEqual(
        found.filter((link) => link !== URL && link !== 'ada@example.com'),
        [],
        bait,
      );
    }
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    assert.deepEqual([...new Set(targets)], [URL]);
    // To the eye it is what they wrote.
    assert.ok(text.replaceAll('\u200C', '').includes(bait), text);
  }
});

test('an invite says plain names as they are', () => {
  const names = { team_name: "St. Mary's & Co. / Web", inviter_name: 'Ada M. Lovelace' };
  const { subject, text } = inviteLetter(invitation(names), URL);
  assert.equal(subject, "Join St. Mary's & Co. / Web on Siteyard");
  assert.match(
    text,
    /Ada M\. Lovelace \(ada@example\.com\) invites you to join the team "St\. Mary's & Co\. \/ Web" as member\./,
  );
});
