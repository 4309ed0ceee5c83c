import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Template } from '#sdk';
import { ownTemplates, templateState } from './templates.ts';

const template = (more: Partial<Template>) =>
  ({ user_id: 'ada', ready: true, is_public: false, approved: false, ...more }) as Template;

test('a template says who can use it', () => {
  const label = (more: Partial<Template>) => templateState(template(more)).label;
  assert.equal(label({ ready: false, is_public: true, approved: true }), 'Not ready yet');
  assert.equal(label({}), 'Private');
  assert.equal(label({ is_public: null }), 'Private');
  assert.equal(label({ is_public: true }), 'Waiting for approval');
  assert.equal(label({ is_public: true, approved: true }), 'Public');
});

test('only templates of the person and their teams are listed as theirs', () => {
  const own = template({ is_public: true, approved: true });
  const ofColleague = template({ user_id: 'bob' });
  const waiting = template({ user_id: 'bob', is_public: true });
  const ofStranger = template({ user_id: 'eve', is_public: true, approved: true });
  const shipped = template({ user_id: null, is_public: true, approved: true });
  const all = [own, ofColleague, waiting, ofStranger, shipped];
  assert.deepEqual(ownTemplates(all, { id: 'ada' }), [own, ofColleague, waiting]);
});
