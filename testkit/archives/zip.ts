import { crc32 } from 'node:zlib';

/** An archive of these files, none of which is packed. */
export function zipFiles(texts: Record<string, string>): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(texts)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(data), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(data.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, data]);
    files.push(file);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, place, name]));
    offset += file.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(entries).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...entries, Buffer.from('PK\x05\x06'), end]);
}

/** An archive of one file. */
export const zipOf = (path: string, text: string) => zipFiles({ [path]: text });
