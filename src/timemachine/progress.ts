/** How far a snapshot or a restore has come. Counts are those of the step, totals are there where they are known. */
export interface Progress {
  step: 'reading' | 'writing' | 'tables' | 'placing' | 'verifying';
  files: number;
  filesTotal?: number;
  bytes: number;
  bytesTotal?: number;
  tables: number;
  tablesTotal?: number;
}

export type OnProgress = (progress: Progress) => void;

type Totals = Pick<Progress, 'filesTotal' | 'bytesTotal' | 'tablesTotal'>;

const EVERY_MS = 100;

/** Counts what is done and tells of it now and then, and at the end of every step. */
export class ProgressReport {
  readonly #onProgress: OnProgress | undefined;
  #progress: Progress = { step: 'reading', files: 0, bytes: 0, tables: 0 };
  #toldAtMs = performance.now();

  constructor(onProgress?: OnProgress) {
    this.#onProgress = onProgress;
  }

  begin(step: Progress['step'], totals: Totals = {}): void {
    this.#progress = { step, files: 0, bytes: 0, tables: 0, ...totals };
  }

  add(done: { files?: number; bytes?: number; tables?: number }): void {
    if (!this.#onProgress) return;
    this.#progress.files += done.files ?? 0;
    this.#progress.bytes += done.bytes ?? 0;
    this.#progress.tables += done.tables ?? 0;
    if (performance.now() - this.#toldAtMs > EVERY_MS) this.end();
  }

  /** Tells where the step stands; to be called when it is done. */
  end(): void {
    this.#onProgress?.({ ...this.#progress });
    this.#toldAtMs = performance.now();
  }
}
