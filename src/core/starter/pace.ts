/** So fast is what nobody gets read, at most: one who writes without end must not keep the machine busy. */
export const DROPPED_BYTES_PER_MS = (4 * 1024 * 1024) / 1000;
/** A timer is not more exact. */
export const SHORTEST_REST_MS = 4;
