import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and a certificate for it, both as PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const YEARS = 10;
const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  subjectAltName: '0603551d11',
};

/**
 * A certificate for a host, signed by nobody but itself: for the few millimetres between PHP and this process, where
 * PHP insists on TLS. Node can read certificates and not make them, so that its parts are put together here (RFC 5280).
 */
export function makeCertificate(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(hex(OID.ecdsaWithSha256));
  // A name has room for 64 characters; who checks it looks at the other one.
  const name = sequence(set(sequence(hex(OID.commonName), value(0x0c, Buffer.from(host.slice(0, 64))))));
  const now = new Date();
  const end = new Date(now);
  end.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const altNames = sequence(value(0x82, Buffer.from(host)));
  const content = sequence(
    value(0xa0, integer(Buffer.from([2]))),
    // Its first bit is a sign, and its first byte must not be zero.
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(new Date(now.getTime() - 24 * 3600 * 1000)), time(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(0xa3, sequence(sequence(hex(OID.subjectAltName), value(0x04, altNames)))),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, value(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** DER: a tag, the length, the content. */
function value(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return value(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return value(0x31, Buffer.concat(parts));
}

function integer(content: Buffer): Buffer {
  return value(0x02, content);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

/** Until 2049 with two digits for the year, from then on with four. */
function time(moment: Date): Buffer {
  const digits = moment.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return moment.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}
