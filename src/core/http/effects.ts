import type { Effect, FlatInput, Operation } from './operation.ts';

/** By the method, unless the operation says otherwise. */
export function strongestEffect({ effect, method, connect }: Operation): Effect {
  if (effect) return effect;
  // Whatever comes through a socket.
  if (connect) return 'change';
  if (method === 'GET') return 'read';
  return method === 'DELETE' ? 'destroy' : 'change';
}

/** The effect of one call, which may be less than the operation can have: a dry run plans. */
export function effectOf(operation: Operation, input: FlatInput): Effect {
  return operation.effectOf?.(input) ?? strongestEffect(operation);
}

/** What an operator who views somebody's account can call: what reads, and neither stays open nor shows what opens something else. */
export function isInView(operation: Operation): boolean {
  const { method, access, stream, connect, endsView, showsContent } = operation;
  if (endsView) return true;
  const reads = method === 'GET' && strongestEffect(operation) === 'read';
  return reads && !stream && !connect && !showsContent && access.scope !== 'write' && access.who !== 'session';
}
