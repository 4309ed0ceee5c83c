let second = 0;
let text = '';

/** Now as HTTP writes it; a new text only once a second. */
export function httpDate(nowMs: number): string {
  const current = Math.floor(nowMs / 1000);
  if (current !== second) {
    second = current;
    text = new Date(nowMs).toUTCString();
  }
  return text;
}
