/** The browser heeds `autofocus` when it loads a page, and not when we change to another one. */
export const takeFocus = (control: HTMLElement | null) => control?.focus();

/**
 * The button that asked goes with what it removed, and the focus with it. Then one goes on within the page, and not before its beginning. It looks
 * when all that changes now has changed.
 */
export function keepPlace(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  });
}
