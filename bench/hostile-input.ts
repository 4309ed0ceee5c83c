export const MB = 1024 * 1024;

/** The worst known input of a parser. */
export interface Hostile {
  name: string;
  bytes: number;
  read(): unknown;
  /** True if a separate process parses the input, so that no other request waits. */
  isApart?: true;
}

export const many = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => item(at));
