import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVisitBy, type Visit } from '../../visit.ts';
import { titleOfRestore } from './restore-summary.ts';

test('an undo is called by what it undoes, and never looks like another restore', () => {
  findVisitBy(() => ({ clock: { locale: 'en-GB', timeZone: 'UTC' } }) as Visit);
  const points = { backup_point: '2026-11-19T10:00:00Z', restore_point: '2026-11-19T10:00:30Z' };
  const undoOf = (kind: 'restore' | 'stage_commit') => ({ kind, created_at: '2026-11-19T14:28:00Z' });
  assert.equal(titleOfRestore({ ...points, undoes: null }), 'Restore to 19 Nov 2026, 10:00:00');
  assert.equal(
    titleOfRestore({ ...points, undoes: undoOf('restore') }),
    'Undo of the restore at 19 Nov 2026, 14:28:00',
  );
  assert.equal(
    titleOfRestore({ ...points, undoes: undoOf('stage_commit') }),
    'Undo of the publish from staging at 19 Nov 2026, 14:28:00',
  );
});
