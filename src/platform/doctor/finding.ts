/** What was looked at: `fault` where the platform can not run as it is configured, `advice` where it could run better. */
export interface Finding {
  name: string;
  state: 'ok' | 'advice' | 'fault';
  found: string;
  /** What to do about it. */
  advice: string | null;
}

export const fine = (name: string, found: string): Finding => ({ name, state: 'ok', found, advice: null });
export const advise = (name: string, found: string, advice: string): Finding => ({
  name,
  state: 'advice',
  found,
  advice,
});
export const fault = (name: string, found: string, advice: string): Finding => ({
  name,
  state: 'fault',
  found,
  advice,
});
