import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects what nobody holds any more, so that what is left can be measured. */
export const collect = runInNewContext('gc') as () => void;
