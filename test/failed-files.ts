import type { TestEvent } from 'node:test/reporters';

/** A reporter that prints the name of each failed suite at the top, a line each: of a test file, or of a lane that died (test/lane.ts). */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:fail' && data.nesting === 0) yield `${data.name}\n`;
}
