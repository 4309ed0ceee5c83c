import type { Operation } from '#core/http/operation.ts';
import type { CallInput } from './proposal.ts';

/** Sorts a flat input into path, query and body. What nobody declares goes to the body, where it is refused or ignored as over HTTP. */
export function splitInput(operation: Operation | undefined, flat: Record<string, unknown>): CallInput {
  const params: Record<string, string> = {};
  const query: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(flat)) {
    if (operation?.params && name in operation.params.properties) params[name] = String(value);
    else if (operation?.query && name in operation.query.properties) query[name] = String(value);
    else body[name] = value;
  }
  return { params, query, ...(operation?.body && { body }) };
}
