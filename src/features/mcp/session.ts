import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '#core/auth/caller.ts';
import { refusalOf } from '#core/http/answers.ts';
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

/** What an operation answers where it is only read; undefined where there is nothing of that name. */
export async function read<Answer>(
  { services, caller, ip }: Session,
  operationId: string,
  input: Pick<Parameters<typeof invoke>[3], 'params' | 'query'>,
): Promise<Answer | undefined> {
  const operation = services.operations.get(operationId) as Operation;
  const { status, body } = await invoke(services, operation, caller, { ...input, ip });
  if (status === 200) return body as Answer;
  if (status === 404 || status === 422) return undefined;
  // Too much asked at once, or a fault of ours: whoever took that for nothing would tell their user so.
  throw new ProtocolError(ProtocolErrorCode.InternalError, refusalOf(body), { status });
}
