/**
 * What stands in the place of PHP: a file of wp-content whose name ends with `.php` and that holds a list of steps, as
 * JSON. Whoever asks for it gets what the steps say. It is what tests need of a plugin, and no more.
 */
export type Step =
  | { say: string }
  /** The text of a file below wp-content. */
  | { sayFile: string }
  /** The first value of a query. */
  | { sayRow: string }
  /** Adds a letter to a file below wp-content. */
  | { append: string }
  | { setOption: [name: string, value: string] }
  /** Makes `<name>.begun` below wp-content, waits for somebody to make `<name>.go`, and makes `<name>.ended`. */
  | { hold: string }
  | { loop: true }
  | { fail: true }
  /** Fails under this version of PHP alone. */
  | { failUnderPhp: string }
  | { log: string }
  | { warn: string }
  /** Says whether it went out. */
  | { mail: { to: string; bcc?: string; subject: string; text: string } }
  | { schedule: { atSeconds: number; steps: Step[] } }
  /** Asks the site itself, and says what it answers, or nothing. */
  | { ask: { path: string; body: string } };
