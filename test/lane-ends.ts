/** What a lane (lane.ts) does after its last file: whoever keeps something for all files of a lane ends it here. */
export const laneEnds: (() => Promise<unknown>)[] = [];
