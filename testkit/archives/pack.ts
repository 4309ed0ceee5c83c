import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Archives as nobody's packer would write them, field by field. */
export interface Packed {
  name: string | Buffer;
  data?: string | Buffer;
  /** With the kind of file in front, as Unix has it. */
  mode?: number;
  /** Of a tar header: what the entry is. */
  type?: string;
  /** What is said of it where that is not so. */
  says?: { size?: number; crc?: number; flags?: number; method?: number; sum?: number };
}

export function tar(entries: Packed[], end = 1024): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(end)]);
}

export const tarGz = (entries: Packed[]) => gzipSync(tar(entries));

function tarEntry({ name, data = '', mode = 0o644, type = '0', says = {} }: Packed): Buffer[] {
  const [path, content] = [Buffer.from(name), Buffer.from(data)];
  const header = Buffer.alloc(512);
  path.copy(header, 0, 0, 100);
  header.write(`${(mode & 0o7777).toString(8).padStart(7, '0')}\0`, 100);
  header.write(`${(says.size ?? content.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = says.sum ?? header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

/** `21 path=…\n`, its own length in front. */
export function pax(key: string, value: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return Buffer.concat([Buffer.from(String(length)), body]);
}

export function zip(entries: Packed[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data = '', mode = 0o100644, says = {} } of entries) {
    const [path, content] = [Buffer.from(name), Buffer.from(data)];
    const method = says.method ?? 8;
    const packed = method === 8 ? deflateRawSync(content) : content;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(says.flags ?? 0x800, 2);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt32LE(says.crc ?? crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(says.size ?? content.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE((mode << 16) >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), facts, path, packed]);
    files.push(file);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), facts, place, path]));
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listed, Buffer.from('PK\x05\x06'), end]);
}
