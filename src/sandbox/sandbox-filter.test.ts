import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { callFilter } from './call-filter.ts';
import { sandboxFilter } from './sandbox-filter.ts';

const ALLOW = 0x7fff0000;
const refusal = (errno: number) => 0x00050000 + errno;
const [EPERM, EOPNOTSUPP, EAFNOSUPPORT] = [1, 95, 97].map(refusal);
const X64 = 0xc000003e;

/** What the kernel would make of a call under the filter: classic BPF over `struct seccomp_data`. */
function decide(filter: Buffer, number: number, args: number[] = [], architecture = X64): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const line = filter.subarray(at * 8);
    const [code, yes, no, value] = [line.readUInt16LE(0), line[2] ?? 0, line[3] ?? 0, line.readUInt32LE(4)];
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += accumulator === value ? yes : no;
    else if (code === 0x35) at += accumulator >= value ? yes : no;
    else if (code === 0x06) return value;
    else assert.fail(`unknown instruction ${code}`);
  }
  return assert.fail('the filter does not end');
}

suite('the filter of everything in a sandbox', () => {
  const filter = sandboxFilter('x64', true) as Buffer;
  const [READ, SOCKET, SOCKETPAIR, IOCTL, FALLOCATE, IO_URING_SETUP] = [0, 41, 53, 16, 285, 425];

  test('opens sockets of the families 1, 2, 10 and 16 and of no other', () => {
    for (let family = 0; family < 64; family++)
      for (const kind of [1, 2, 3, 5, 0x80001])
        assert.equal(
          decide(filter, SOCKET, [family, kind]),
          [1, 2, 10, 16].includes(family) ? ALLOW : EAFNOSUPPORT,
          `family ${family}`,
        );
    // The kernel takes the lower half alone.
    assert.equal(decide(filter, SOCKET, [2 ** 32 + 40, 1]), EAFNOSUPPORT);
    assert.equal(decide(filter, SOCKETPAIR, [1, 1]), ALLOW);
  });

  test('denies preallocation of disk space', () => {
    assert.equal(decide(filter, FALLOCATE), EOPNOTSUPP);
    for (const request of [0x40305828, 0x4030582a, 0x40305839])
      assert.equal(decide(filter, IOCTL, [0, request]), EOPNOTSUPP);
  });

  test('cannot be bypassed, and allows every other call', () => {
    assert.equal(decide(filter, IO_URING_SETUP), EPERM);
    assert.equal(decide(filter, SOCKET, [1, 1], 0x40000003), EPERM, 'calls of 32 bits');
    assert.equal(decide(filter, 0x40000000 + SOCKET, [1, 1]), EPERM, 'the second set of numbers');
    assert.equal(decide(filter, READ), ALLOW);
    assert.equal(decide(filter, IOCTL, [0, 0x5401]), ALLOW);
  });

  test('is there for the machines that it has numbers for, if perl can load it', () => {
    assert.ok(sandboxFilter('arm64', true));
    assert.equal(decide(sandboxFilter('arm64', true) as Buffer, 198, [40, 1], 0xc00000b7), EAFNOSUPPORT);
    assert.equal(sandboxFilter('riscv64', true), undefined);
    assert.equal(sandboxFilter('x64', false), undefined);
  });
});

test('PHP opens streams and datagrams of the families 1, 2 and 10 and nothing else', () => {
  const filter = callFilter('x64') as Buffer;
  for (let family = 0; family < 64; family++)
    for (const kind of [1, 2, 3, 5, 0x80001]) {
      const isAllowed = [1, 2, 10].includes(family) && [1, 2].includes(kind & 0xf);
      assert.equal(decide(filter, 41, [family, kind]), isAllowed ? ALLOW : EPERM, `family ${family}, kind ${kind}`);
    }
});
