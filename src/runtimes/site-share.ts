/** What one site may have of the machine, by the plan of its team. Drivers keep to as much of it as they can. */
export interface SiteShare {
  /** How many requests at once; the operator may have said fewer (PHP_PROCESSES_PER_SITE). */
  processes: number;
  /** How many processors' time. */
  processors: number;
  /** From the disk and to it, each. */
  ioBytesPerSecond: number;
}
