import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveKey } from './leave-key.ts';

/** The last of these keys, each pressed and released, leaves the terminal. */
function leaves(...keys: string[]): boolean {
  const isLeaving = leaveKey();
  const pressed = keys.map((name) => {
    const event = { key: name.replace('Ctrl+', ''), ctrlKey: name.startsWith('Ctrl+'), altKey: false, metaKey: false };
    const result = isLeaving({ type: 'keydown', ...event });
    isLeaving({ type: 'keypress', ...event });
    isLeaving({ type: 'keyup', ...event });
    return result;
  });
  return pressed.at(-1) ?? false;
}

test('Tab leaves the terminal right after Escape, in both directions, and belongs to the shell otherwise', () => {
  assert.equal(leaves('Escape', 'Tab'), true);
  assert.equal(leaves('Escape', 'Shift', 'Tab'), true);
  assert.equal(leaves('Tab'), false);
  assert.equal(leaves('Escape', 'x', 'Tab'), false);
  assert.equal(leaves('Escape', 'Tab', 'Tab'), false);
  assert.equal(leaves('Escape', 'Ctrl+Tab'), false);
  assert.equal(leaves('Escape'), false);
});
