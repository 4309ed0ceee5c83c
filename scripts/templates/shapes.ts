/** The pictures of our templates, drawn from numbers: nothing in them is anybody else's. */
export const [WIDTH, HEIGHT] = [1600, 1067];

/** The same numbers for the same picture, every time. */
export function chance(seed: number): (from: number, to: number) => number {
  let state = seed * 2654435761;
  return (from, to) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return from + (((state >>> 0) % 10_000) / 10_000) * (to - from);
  };
}

export const svg = (body: string, [width, height] = [WIDTH, HEIGHT]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
export const rect = (x: number, y: number, width: number, height: number, fill: string, more = '') =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`;
export const circle = (x: number, y: number, radius: number, fill: string, more = '') =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" ${more}/>`;
export const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`;
export const sky = (top: string, bottom: string) =>
  `<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs>${rect(0, 0, WIDTH, HEIGHT, 'url(#s)')}`;

/** A soft line of hills from edge to edge. */
export function ridge(random: ReturnType<typeof chance>, y: number, swing: number, steps = 6): string {
  const width = WIDTH / steps;
  let [x, height] = [0, y + random(-swing, swing)];
  let d = `M0 ${HEIGHT} L0 ${height}`;
  for (let step = 0; step < steps; step++) {
    const next = y + random(-swing, swing);
    d += ` C${x + width * 0.4} ${height} ${x + width * 0.6} ${next} ${x + width} ${next}`;
    x += width;
    height = next;
  }
  return `${d} L${WIDTH} ${HEIGHT} Z`;
}
