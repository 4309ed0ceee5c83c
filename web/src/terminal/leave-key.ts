type Key = Pick<KeyboardEvent, 'type' | 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>;

/**
 * Returns a function that checks whether a key event moves the focus out of the terminal. The shell receives Tab, so
 * only Tab or Shift+Tab right after Escape moves the focus, as in the file editor (WCAG 2.1.2).
 */
export function leaveKey(): (event: Key) => boolean {
  let isAfterEscape = false;
  return ({ type, key, ctrlKey, altKey, metaKey }) => {
    const leaves = isAfterEscape && key === 'Tab' && !(ctrlKey || altKey || metaKey);
    // Shift is pressed before Shift+Tab and changes nothing by itself.
    if (type === 'keydown' && key !== 'Shift') isAfterEscape = key === 'Escape';
    return leaves && type === 'keydown';
  };
}
