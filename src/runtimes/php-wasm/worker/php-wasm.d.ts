// SPDX-License-Identifier: GPL-2.0-or-later
// What this program uses of php-wasm, whose own declarations need a bundler's way of finding modules.

declare module '@php-wasm/universal' {
  export interface RunOptions {
    scriptPath: string;
    relativeUri: string;
    protocol?: string;
    method?: string;
    headers: Record<string, string>;
    body?: Uint8Array;
    $_SERVER: Record<string, string>;
  }
  export interface StreamedResponse {
    readonly stdout: ReadableStream<Uint8Array>;
    readonly stderr: ReadableStream<Uint8Array>;
    readonly stdoutBytes: Promise<Uint8Array>;
    readonly exitCode: Promise<number>;
    readonly finished: Promise<void>;
    readonly headers: Promise<Record<string, string[]>>;
    readonly httpStatusCode: Promise<number>;
  }
  export interface FileSystem {
    filesystems: { NODEFS: unknown; MEMFS: unknown };
    mount(type: unknown, options: { root?: string }, path: string): void;
    unmount(path: string): void;
  }
  export type MountHandler = (php: PHP, fs: FileSystem) => () => unknown;
  export class PHP {
    constructor(runtimeId: number);
    setSpawnHandler(handler: unknown): Promise<void>;
    setSapiName(name: string): Promise<void>;
    mount(path: string, handler: MountHandler): Promise<() => unknown>;
    mkdirTree(path: string): void;
    writeFile(path: string, data: string | Uint8Array): void;
    unlink(path: string): void;
    readFileAsText(path: string): string;
    isFile(path: string): boolean;
    chdir(path: string): void;
    runStream(options: RunOptions): Promise<StreamedResponse>;
    cli(args: string[], options: { env: Record<string, string> }): Promise<StreamedResponse>;
  }
  export function setPhpIniEntries(php: PHP, entries: Record<string, string>): Promise<void>;
}

declare module '@php-wasm/node' {
  export class FileLockManagerForPosix {}
  export function loadNodeRuntime(
    version: string,
    options: { fileLockManager: FileLockManagerForPosix; emscriptenOptions: { processId: number } },
  ): Promise<number>;
}

declare module '@php-wasm/util' {
  export interface SpawnApi {
    notifySpawn(): void;
    stderr(text: string): void;
    exit(code: number): void;
  }
  export function createSpawnHandler(program: (command: string[], api: SpawnApi) => Promise<void>): unknown;
}
