import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Site } from '#sdk';
import { stateOf, titleOfSite } from './sites.ts';

const STATES: Site['reachability']['state'][] = [
  'live',
  'protected',
  'dns_pending',
  'certificate_pending',
  'asleep',
  'failing',
  'busy',
  'stopped',
];
const siteIn = (state: Site['reachability']['state']) =>
  ({ team: { is_active: true }, busy: null, reachability: { state, reason: null } }) as Site;

test('no state of a site is called like an environment', () => {
  for (const state of STATES) assert.doesNotMatch(stateOf(siteIn(state)).label, /^(live|staging)$/i);
  assert.equal(stateOf(siteIn('live')).label, 'Online');
});

test('a site is called by its title, and by its host name until it has one', () => {
  assert.equal(titleOfSite({ title: 'Hollis Bakery', fqdn: 'hollis.example.com' }), 'Hollis Bakery');
  assert.equal(titleOfSite({ title: '', fqdn: 'hollis.example.com' }), 'hollis.example.com');
});
