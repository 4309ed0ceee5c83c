/** A filter of system calls as the kernel takes it (seccomp, classic BPF), line by line. Whatever no line decides on is let through. */
type Machine = 'x64' | 'arm64';

/** The number of a call on each machine. */
export type Call = Partial<Record<Machine, number>>;

export const onBoth = (x64: number, arm64: number): Call => ({ x64, arm64 });
/** Calls of recent kernels have the same number everywhere. */
export const since2019 = (number: number): Call => ({ x64: number, arm64: number });

export type Line = [code: number, yes: number, no: number, value: number];

export const LOAD = 0x20;
export const AND = 0x54;
export const EQUALS = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
export const argumentAt = (index: number) => 16 + 8 * index;

const ARCHITECTURES: Record<Machine, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** On x64 there is a second set of numbers for the same calls. */
const OTHER_NUMBERS = 0x40000000;

export const ALLOW: Line = [RETURN, 0, 0, 0x7fff0000];
const refuseWith = (number: number): Line => [RETURN, 0, 0, 0x00050000 + number];
/** As if whoever asks had no right to it. */
export const EPERM = refuseWith(1);
/** As if the kernel did not know it: whoever asks then takes an older call. */
export const ENOSYS = refuseWith(38);
/** As if this file system could not. */
export const EOPNOTSUPP = refuseWith(95);

/** As if the kernel did not support the socket family. */
export const EAFNOSUPPORT = refuseWith(97);

export const SOCKET = onBoth(41, 198);

/** Continues after these lines if the argument is one of the values; otherwise returns `otherwise`. */
export const unlessOneOf = (index: number, values: readonly number[], otherwise: Line): Line[] => [
  [LOAD, 0, 0, argumentAt(index)],
  ...values.map((value, at): Line => [EQUALS, values.length - at, 0, value]),
  otherwise,
];

export class CallFilter {
  readonly #machine: Machine;
  readonly #lines: Line[];

  private constructor(machine: Machine) {
    this.#machine = machine;
    this.#lines = [
      [LOAD, 0, 0, ARCHITECTURE_AT],
      [EQUALS, 1, 0, ARCHITECTURES[machine]],
      EPERM,
      [LOAD, 0, 0, NUMBER_AT],
      [AT_LEAST, 0, 1, OTHER_NUMBERS],
      EPERM,
    ];
  }

  /** Undefined on a machine whose numbers are not known. */
  static for(machine: string): CallFilter | undefined {
    return machine === 'x64' || machine === 'arm64' ? new CallFilter(machine) : undefined;
  }

  /** For one call: what follows looks at its arguments, and has to decide. */
  only(call: Call, decide: readonly Line[]): this {
    const number = call[this.#machine];
    if (number !== undefined) this.#lines.push([EQUALS, 0, decide.length, number], ...decide);
    return this;
  }

  get bytes(): Buffer {
    return Buffer.concat([...this.#lines, ALLOW].map(instruction));
  }
}

function instruction([code, yes, no, value]: Line): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
