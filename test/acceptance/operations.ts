import type { Operation } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { expectedStatuses } from './expected-policy.ts';

/** What the walks of this folder go through. OPERATION=createSite narrows all of them to one operation. */
export const allOperations: readonly Operation[] = operationsOf(features);
export const allRows: readonly string[] = [...expectedStatuses.keys()];

const byId = new Map(allOperations.map((operation) => [operation.id, operation]));
const only = process.env.OPERATION;
if (only && !byId.has(only))
  throw new Error(`There is no operation ${only}. OPERATION is an operationId such as createSite.`);

export const operations = only ? allOperations.filter(({ id }) => id === only) : allOperations;
/** Rows of expected-policy.ts: an operation, or `operation/variant`. */
export const rows = allRows.filter((row) => byId.has(idOf(row)) && (!only || idOf(row) === only));

export function idOf(row: string): string {
  return row.split('/')[0] as string;
}

export function operationOf(row: string): Operation {
  const operation = byId.get(idOf(row));
  if (!operation)
    throw new Error(`There is no operation for the row ${row} of test/acceptance/expected-policy.ts: remove it`);
  return operation;
}

export function rowsOf({ id }: Operation): string[] {
  return allRows.filter((row) => idOf(row) === id);
}

/** The row of an operation that its owner or, failing that, an operator can call. */
export function allowedRow(operation: Operation): { row: string; caller: 'owner' | 'operator' } {
  const own = rowsOf(operation);
  const [first] = own;
  if (first === undefined)
    throw new Error(`There is no row for ${operation.id}: add it to test/acceptance/expected-policy.ts`);
  const owners = own.find((row) => expectedStatuses.get(row)?.owner === 200);
  return owners ? { row: owners, caller: 'owner' } : { row: first, caller: 'operator' };
}
