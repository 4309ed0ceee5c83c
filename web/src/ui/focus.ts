/** The browser heeds `autofocus` when it loads a page, and not when we change to another one. */
export const takeFocus = (control: HTMLElement | null) => control?.focus();

/** The button that asked goes with what it removed, and the focus with it. Then one goes on within the page, and not before its beginning. */
export function keepPlace(): void {
  if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
}
