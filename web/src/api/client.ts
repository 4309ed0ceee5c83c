import { ApiError, createClient } from '#sdk';

let signedOut = () => {};

/** Runs whenever a call finds that there is no session: it ended here, in another tab, or by itself. */
export function whenSignedOut(handler: () => void): void {
  signedOut = handler;
}

/** The dashboard is served by the API itself, so the session cookie goes along and no address is needed. */
export const api = createClient({
  baseUrl: '',
  fetch: async (...request) => {
    const response = await fetch(...request);
    if (response.status === 401) signedOut();
    return response;
  },
});

/** What the address names is not there, or could not be: a malformed id in a path is a 422. */
export function isMissing(error: unknown): boolean {
  return isStatus(error, 404) || (error instanceof ApiError && error.faults.some(({ loc }) => loc[0] === 'path'));
}

export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Signing in anew would not help: somebody else's cookie stands beside ours, and only the visitor can delete it. */
export function isForeignCookie(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'auth.duplicate_cookie';
}
