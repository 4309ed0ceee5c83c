import type { Operation } from './operation.ts';
import { compileReader, type Reader } from './validation.ts';

interface Readers {
  path: Reader | undefined;
  query: Reader | undefined;
  body: Reader | undefined;
}

const compiled = new WeakMap<Operation, Readers>();

/** What reads the input of an operation; made when it is first asked for. */
export function readersOf(operation: Operation): Readers {
  let readers = compiled.get(operation);
  if (!readers) {
    const { params, query, body, acceptsRepeatedQuery = false } = operation;
    readers = {
      path: params && compileReader('path', params),
      query: query && compileReader('query', query, { acceptsRepeated: acceptsRepeatedQuery }),
      body: body && compileReader('body', body),
    };
    compiled.set(operation, readers);
  }
  return readers;
}
