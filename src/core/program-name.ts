const MAX_LENGTH = 100;

/**
 * What a program calls itself, shown to people who decide by it. Nothing in it may turn the text around, start a new line, or end the
 * quotation marks that it is shown in.
 */
export function programName(text: string | undefined, otherwise: string): string {
  const name = (text ?? '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/["\p{Pi}\p{Pf}\u201a\u201e\u301d-\u301f\uff02]/gu, "'")
    .trim();
  return [...name].slice(0, MAX_LENGTH).join('').trimEnd() || otherwise;
}
