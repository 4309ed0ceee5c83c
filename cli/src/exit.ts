/** How a command ends, as `gh` has it. */
export const EXIT = { ok: 0, failed: 1, cancelled: 2, needsSignIn: 4 } as const;

/** What a person is told instead of what they asked for. `advice` says what they can do about it. */
export class Stop extends Error {
  readonly exitCode: number;
  readonly advice: string | undefined;

  constructor(message: string, { exitCode = EXIT.failed, advice }: { exitCode?: number; advice?: string } = {}) {
    super(message);
    this.name = 'Stop';
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

export const cancelled = (message = 'Cancelled: nothing was changed.', advice?: string) =>
  new Stop(message, { exitCode: EXIT.cancelled, ...(advice && { advice }) });

export const needsSignIn = () =>
  new Stop('You are not signed in.', {
    exitCode: EXIT.needsSignIn,
    advice: 'Sign in with `siteyard login`, or set SITEYARD_TOKEN and SITEYARD_URL.',
  });
