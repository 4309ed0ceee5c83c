/** What holds for the answers of every PHP. */

/** Headers that are whoever's who sends the answer on. */
export const NOT_PHPS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'x-powered-by']);

const OUT_OF_MEMORY = /Allowed memory size|Out of memory/;
/** With no file left to open, PHP loses even its output. */
const NO_FILES_LEFT = /No file descriptors available|Too many open files/;

/** What a request's messages say of how it went. */
export interface Complaints {
  ranOutOfMemory: boolean;
  ranOutOfFiles: boolean;
}

export function noteComplaint(complaints: Complaints, message: string): void {
  complaints.ranOutOfMemory ||= OUT_OF_MEMORY.test(message);
  complaints.ranOutOfFiles ||= NO_FILES_LEFT.test(message);
}

/**
 * Why PHP said nothing at all, where that is no answer. Whoever sent us the request tells the visitor. What is complete without a body is an
 * answer, also after a fatal error: WordPress redirects to itself when it has paused a broken plugin.
 */
export function findFailure(
  status: number,
  isFatal: boolean,
  { ranOutOfMemory, ranOutOfFiles }: Complaints,
): 'memory' | 'crash' | undefined {
  if (status === 204 || (status >= 300 && status < 400)) return undefined;
  if (ranOutOfMemory) return 'memory';
  return isFatal || ranOutOfFiles ? 'crash' : undefined;
}

/** A status that HTTP has. */
export function isStatus(status: number): boolean {
  return status >= 200 && status <= 599;
}
