export const MB = 1024 * 1024;

/** The worst input that a parser takes, as far as anybody found it. */
export interface Hostile {
  name: string;
  bytes: number;
  read(): unknown;
  /** A process of its own reads it, and nobody waits for that one. */
  isApart?: true;
}

export const many = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => item(at));
