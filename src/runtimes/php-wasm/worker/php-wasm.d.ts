// SPDX-License-Identifier: GPL-2.0-or-later
// What this program uses of php-wasm, whose own declarations need a bundler's way of finding modules.

/** Node's types leave it to those of browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: unknown): Promise<{ instance: unknown; module: unknown }>;
  Suspending: new (call: (descriptor: number) => Promise<number>) => unknown;
};

declare module '@php-wasm/universal' {
  import type { Stats } from 'node:fs';

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
  export interface MountOptions {
    root?: string;
    /** Ours: the folder does not change while this process runs. */
    isShared?: boolean;
  }
  /** A file or folder as PHP sees it, in Emscripten's keeping. */
  export interface FileNode {
    mode: number;
    parent: FileNode;
    mount: { opts: MountOptions };
    sock?: { dport?: number };
  }
  /** An entry of PHP's table of descriptors. */
  export interface OpenStream {
    fd: number;
    path?: string;
    node: FileNode;
    stream_ops: unknown;
    /** This process' own descriptor, for a file of a mounted folder. */
    nfd?: number;
    flags?: number;
  }
  /** The file system of mounted folders: what it does to them. */
  export interface HostFolders {
    realPath(node: FileNode): string;
    createNode(parent: FileNode | null, name: string, mode: number, device: number): FileNode;
    getattr(stat: () => Stats, node: FileNode): { ino: number };
    tryFSOperation<T>(operation: () => T): T;
    convertNodeCode(error: { code?: string }): number;
    stream_ops: {
      write(stream: OpenStream, ...data: unknown[]): number;
      setattr(stream: OpenStream, attributes: unknown): void;
      close(stream: OpenStream): void;
    };
    node_ops: {
      setattr(node: FileNode, attributes: unknown): void;
      lookup(parent: FileNode, name: string): FileNode;
      mknod(parent: FileNode, name: string, mode: number, device: number): FileNode;
      rename(node: FileNode, newParent: FileNode, newName: string): void;
      unlink(parent: FileNode, name: string): void;
      rmdir(parent: FileNode, name: string): void;
      symlink(parent: FileNode, name: string, target: string): void;
    };
  }
  export interface FileSystem {
    filesystems: { NODEFS: HostFolders; MEMFS: unknown };
    streams: (OpenStream | null | undefined)[];
    mount(type: unknown, options: MountOptions, path: string): void;
    /** Removes a node from the cache of names. */
    hashRemoveNode(node: FileNode): void;
    unmount(path: string): void;
    open(path: string, flags: number): OpenStream;
    close(stream: OpenStream): void;
    isFIFO(mode: number): boolean;
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
    isDir(path: string): boolean;
    chdir(path: string): void;
    runStream(options: RunOptions): Promise<StreamedResponse>;
    cli(args: string[], options: { env: Record<string, string> }): Promise<StreamedResponse>;
  }
  export function setPhpIniEntries(php: PHP, entries: Record<string, string>): Promise<void>;
}

declare module '@php-wasm/node' {
  export class FileLockManagerForPosix {
    /** False where somebody else has it. */
    lockWholeFile(path: string, operation: object): boolean;
  }
  export function loadNodeRuntime(
    version: string,
    options: {
      extensions: unknown[];
      fileLockManager: FileLockManagerForPosix;
      emscriptenOptions: Record<string, unknown>;
    },
  ): Promise<number>;
  export function getPHPLoaderModule(version: string): Promise<{ dependencyFilename: string }>;
}

declare module '@php-wasm/util' {
  export interface SpawnApi {
    notifySpawn(): void;
    stderr(text: string): void;
    exit(code: number): void;
  }
  export function createSpawnHandler(program: (command: string[], api: SpawnApi) => Promise<void>): unknown;
}
