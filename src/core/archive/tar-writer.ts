/** A tar file as POSIX writes it (IEEE 1003.1, pax), piece by piece: what a file's entry begins with, what fills its last block, and the end of all. */
const BLOCK = 512;
/** More than fits into the octal digits of a header is said before it. */
const MOST_OCTAL = 0o77777777777;
const NAME_BYTES = 100;

export interface TarFile {
  path: string;
  sizeBytes: number;
  modifiedMs: number;
}

export function tarHeader({ path, sizeBytes, modifiedMs }: TarFile): Buffer {
  const name = Buffer.from(path);
  const isLong = name.length > NAME_BYTES;
  const records = [
    ...(isLong ? [paxRecord('path', path)] : []),
    ...(sizeBytes > MOST_OCTAL ? [paxRecord('size', String(sizeBytes))] : []),
  ];
  const header = block(name.subarray(0, NAME_BYTES), Math.min(sizeBytes, MOST_OCTAL), modifiedMs, '0');
  if (records.length === 0) return header;
  const data = Buffer.concat(records);
  return Buffer.concat([
    block(Buffer.from('pax'), data.length, modifiedMs, 'x'),
    data,
    tarPadding(data.length),
    header,
  ]);
}

export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

function block(name: Buffer, sizeBytes: number, modifiedMs: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(
      `${Math.max(0, Math.floor(value))
        .toString(8)
        .padStart(length - 1, '0')}\0`,
      at,
      'latin1',
    );
  name.copy(header, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(sizeBytes, 124, 12);
  octal(Math.min(modifiedMs / 1000, MOST_OCTAL), 136, 12);
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\0', 257, 'latin1');
  header.write('00', 263, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

/** Its own length is a part of its length. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
