import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '#core/auth/caller.ts';
import { invoke } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';

/** Who one message is from. There is nothing that lasts between two of them. */
export interface Session {
  services: Services;
  caller: Caller;
  ip: string;
}

export type Context = Pick<ServerContext['mcpReq'], '_meta' | 'signal' | 'notify'>;

/** What an operation answers where it is only read; undefined where it refuses. */
export async function read<Answer>(
  { services, caller, ip }: Session,
  operationId: string,
  input: Pick<Parameters<typeof invoke>[3], 'params' | 'query'>,
): Promise<Answer | undefined> {
  const operation = services.operations.get(operationId) as Operation;
  const { status, body } = await invoke(services, operation, caller, { ...input, ip });
  return status === 200 ? (body as Answer) : undefined;
}
