import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

/** WCAG 2.2, success criterion 1.4.3, for text of normal size. */
const MIN_CONTRAST = 4.5;
const SURFACES = ['bg', 'surface', 'raised'];
/** Each text color with the backgrounds that it is used on. */
const PAIRS: [text: string, backgrounds: string[]][] = [
  ['fg', [...SURFACES, 'accent-soft', 'danger-soft', 'warn-soft']],
  ['muted', SURFACES],
  ['accent-text', [...SURFACES, 'accent-soft']],
  ['danger-text', [...SURFACES, 'danger-soft']],
  ['warn-text', [...SURFACES, 'warn-soft']],
  ['accent-fg', ['accent', 'accent-hover']],
  ['danger-fg', ['danger', 'danger-hover']],
];

const css = readFileSync(join(import.meta.dirname, 'palette.css'), 'utf8');
const light = readColors(':root');
// The dark theme overrides what it names.
const themes = { light, dark: new Map([...light, ...readColors('[data-theme="dark"]')]) };

for (const [theme, colors] of Object.entries(themes)) {
  suite(`text of the ${theme} theme has a contrast of at least ${MIN_CONTRAST}`, () => {
    for (const [text, backgrounds] of PAIRS)
      for (const background of backgrounds)
        test(`${text} on ${background}`, () => {
          const ratio = contrast(luminanceOf(colors, text), luminanceOf(colors, background));
          assert.ok(ratio >= MIN_CONTRAST, `it is ${ratio.toFixed(2)}`);
        });
  });
}

test('white on black has the largest contrast, so the formulas are right', () => {
  assert.equal(contrast(luminance([1, 0, 0]), luminance([0, 0, 0])).toFixed(2), '21.00');
  // sRGB red as oklch, with its luminance by definition.
  assert.equal(luminance([0.62796, 0.25768, 29.234]).toFixed(3), '0.213');
});

type Oklch = [lightness: number, chroma: number, hue: number];

function readColors(selector: string): Map<string, Oklch> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? '';
  const found = block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g);
  return new Map(Array.from(found, ([, name, ...parts]) => [name as string, parts.map(Number) as Oklch]));
}

function luminanceOf(colors: Map<string, Oklch>, name: string): number {
  const color = colors.get(name);
  assert.ok(color, `palette.css has no --${name}`);
  return luminance(color);
}

/** Relative luminance by way of linear sRGB (CSS Color 4, sample code for OKLab); what the screen cannot show is clipped. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short;
  const green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short;
  const blue = -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue);
}

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
