/** Headers as node:http takes and gives them raw: name, value, name, value. */
export type RawHeaders = string[];
