declare global {
  interface Window {
    /** By address: what public/begin.js asked for before the dashboard was there. Nothing where that did not get through. */
    firstAnswers?: Map<string, Promise<Response | undefined>>;
  }
}

/** The answer to a question that was asked already. Each counts once. */
export function takeFirstAnswer(
  url: string,
  { method = 'GET' }: RequestInit,
): Promise<Response | undefined> | undefined {
  const answer = method === 'GET' ? window.firstAnswers?.get(url) : undefined;
  window.firstAnswers?.delete(url);
  return answer;
}

/** Whoever asks later wants to know how it is then. */
export function forgetFirstAnswers(): void {
  window.firstAnswers?.clear();
}
