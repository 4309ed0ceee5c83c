import { ApiError } from '#sdk';

/** The record that would prove a domain to be one's own. */
export type ClaimRecord = { name: string; value: string };

/** What a refused name says about the way to get it; undefined where there is none. */
export function claimIn(error: unknown): ClaimRecord | undefined {
  return error instanceof ApiError ? (error.data.claim as ClaimRecord | undefined) : undefined;
}
