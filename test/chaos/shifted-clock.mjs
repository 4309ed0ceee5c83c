import { readFileSync } from 'node:fs';

/** Loaded before the service (`--import`): its time of day follows a file that says by how many milliseconds it is wrong. */
const file = process.env.CLOCK_FILE;
const RealDate = Date;
let wrongMs = 0;
const read = () => {
  try {
    wrongMs = Number(readFileSync(file, 'utf8'));
  } catch {
    wrongMs = 0;
  }
};
read();
setInterval(read, 100).unref();
class WrongDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + wrongMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + wrongMs;
  }
}
globalThis.Date = WrongDate;
