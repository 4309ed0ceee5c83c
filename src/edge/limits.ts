/** What one visitor or one site may take of the edge. */
export interface EdgeLimits {
  /** The largest body that a visitor may send. */
  bodyBytes: number;
  /** What the bodies of all visitors may take on disk while they wait, and those of one site. */
  allBodiesBytes: number;
  siteBodiesBytes: number;
  /** What those from one address may take together, and how many there may be at a time. */
  addressBodiesBytes: number;
  addressBodies: number;
  /** Who sends fewer bytes a second than this, at several looks in a row, is told that it is too slow; and how often is looked. */
  slowestBodyBytes: number;
  bodyLookMs: number;
  /** How long a visitor waits for a site that starts. */
  wakeMs: number;
  /** How long a visitor waits for a site that is being worked on. */
  holdMs: number;
  /** How many visitors of one site may wait for an answer at once. */
  waitingPerSite: number;
  /** How many requests of a site to itself may be under way, and how long one waits for a process. */
  ownCallsPerSite: number;
  ownCallMs: number;
  /** How long a request of a site to itself may take to arrive, its body included. */
  ownArrivalMs: number;
  /** Memory for cached pages of all sites, and the largest page that is kept. */
  pageCacheBytes: number;
  pageBytes: number;
  /** Memory for the pages of all sites that say that there is nothing. */
  notFoundCacheBytes: number;
  /** How many bytes a second are compressed for one site, and for all of them together. */
  compressBytesPerSite: number;
  compressBytes: number;
  /** Memory for static files of all sites, and the largest file that is kept; larger ones come from disk. */
  fileCacheBytes: number;
  /** Memory for the static files of WordPress itself, which all sites share. */
  coreFileCacheBytes: number;
  fileBytes: number;
  /** How often counters are handed on. */
  flushMs: number;
}

export const DEFAULT_LIMITS: EdgeLimits = {
  bodyBytes: 64 * 1024 * 1024,
  allBodiesBytes: 2 * 1024 * 1024 * 1024,
  siteBodiesBytes: 256 * 1024 * 1024,
  // Three of the largest.
  addressBodiesBytes: 192 * 1024 * 1024,
  addressBodies: 64,
  // The worst of telephone lines is faster.
  slowestBodyBytes: 2 * 1024,
  bodyLookMs: 5_000,
  wakeMs: 30_000,
  holdMs: 20_000,
  waitingPerSite: 256,
  ownCallsPerSite: 32,
  ownCallMs: 10_000,
  ownArrivalMs: 120_000,
  pageCacheBytes: 256 * 1024 * 1024,
  pageBytes: 2 * 1024 * 1024,
  notFoundCacheBytes: 32 * 1024 * 1024,
  // At worst a twentieth of a processor for one site, and half of one for all.
  compressBytesPerSite: 8 * 1024 * 1024,
  compressBytes: 64 * 1024 * 1024,
  fileCacheBytes: 96 * 1024 * 1024,
  coreFileCacheBytes: 32 * 1024 * 1024,
  fileBytes: 1024 * 1024,
  flushMs: 5_000,
};
