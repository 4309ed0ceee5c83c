/** What the server wrote into the page for whoever has a session here: JSON by the address that it would be asked at. */
const block = document.getElementById('first-answers');
const answers = new Map<string, unknown>(Object.entries(JSON.parse(block?.textContent ?? '{}')));

/** The server knows a session of this browser, though perhaps not a good one. */
export const hasSession = block !== null;

/** The answer to a question that the server has answered already. Each counts once. */
export function takeFirstAnswer(url: string, { method = 'GET' }: RequestInit): Response | undefined {
  if (method !== 'GET' || !answers.has(url)) return undefined;
  const answer = Response.json(answers.get(url));
  answers.delete(url);
  return answer;
}

let eventsAfter = block?.dataset.eventsAfter;

/** The place in the stream of events that nothing of the page is older than. It counts for the first stream; a later one follows a gap. */
export function takeEventsAfter(): string | undefined {
  const place = eventsAfter;
  eventsAfter = undefined;
  return place;
}

/** Whoever asks later wants to know how it is then. */
export function forgetFirstAnswers(): void {
  answers.clear();
}
