import { visit } from '../visit.ts';

/** The answer to a question that the server has answered already. Each counts once. */
export function takeFirstAnswer(url: string, { method = 'GET' }: RequestInit): Response | undefined {
  const { answers } = visit();
  if (method !== 'GET' || !answers.has(url)) return undefined;
  const answer = Response.json(answers.get(url));
  answers.delete(url);
  return answer;
}

/** The place in the stream of events that nothing of the page is older than. It counts for the first stream; a later one follows a gap. */
export function takeEventsAfter(): string | undefined {
  const place = visit().eventsAfter;
  visit().eventsAfter = undefined;
  return place;
}

/** Whoever asks later wants to know how it is then. */
export function forgetFirstAnswers(): void {
  visit().answers.clear();
}
