import { all } from './dom.ts';

const SHOWN_MS = 1500;

/** A button on every block of code, where the browser lets us. */
export function offerCopies(): void {
  if (!navigator.clipboard) return;
  for (const button of all<HTMLButtonElement>('figure.code > button.copy')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.parentElement?.querySelector('code')?.textContent ?? '';
      await navigator.clipboard.writeText(text).then(
        () => say(button, 'Copied'),
        () => say(button, 'Not allowed'),
      );
    });
  }
}

function say(button: HTMLButtonElement, word: string): void {
  button.textContent = word;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
