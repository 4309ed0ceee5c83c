import { chance, circle, HEIGHT, path, rect, ridge, sky, svg, WIDTH } from './shapes.ts';

/** Gardens for the business. */
const leaf = (x: number, y: number, length: number, turn: number, fill: string) =>
  `<g transform="translate(${x} ${y}) rotate(${turn})"><path d="M0 0 C${length * 0.35} ${-length * 0.35} ${length * 0.75} ${-length * 0.3} ${length} 0 C${length * 0.75} ${length * 0.3} ${length * 0.35} ${length * 0.35} 0 0 Z" fill="${fill}"/><path d="M0 0 H${length * 0.9}" stroke="#fff" stroke-width="3" opacity=".25"/></g>`;

export function foliage(seed: number, ground: string, greens: string[], accent: string): string {
  const random = chance(seed);
  const leaves = Array.from({ length: 64 }, (_, index) =>
    leaf(
      random(-80, 1680),
      random(index * 9, 1150),
      random(150, 330),
      random(0, 360),
      greens[index % greens.length] as string,
    ),
  );
  const flowers = Array.from({ length: 9 }, () => {
    const [x, y, size] = [random(80, 1520), random(120, 1000), random(26, 46)];
    return (
      [0, 72, 144, 216, 288]
        .map(
          (turn) =>
            `<ellipse cx="${x}" cy="${y - size}" rx="${size * 0.62}" ry="${size}" fill="${accent}" transform="rotate(${turn} ${x} ${y})"/>`,
        )
        .join('') + circle(x, y, size * 0.5, '#fff3d0')
    );
  });
  return svg(rect(0, 0, WIDTH, HEIGHT, ground) + leaves.join('') + flowers.join(''));
}

export function garden(
  seed: number,
  colours: { top: string; bottom: string; far: string; lawn: string; path: string },
): string {
  const random = chance(seed);
  const tree = (x: number, y: number, size: number, fill: string) =>
    rect(x - size * 0.06, y - size * 0.2, size * 0.12, size * 0.6, '#5b4636') +
    circle(x, y - size * 0.55, size * 0.46, fill) +
    circle(x - size * 0.32, y - size * 0.3, size * 0.34, fill) +
    circle(x + size * 0.32, y - size * 0.3, size * 0.34, fill);
  const house =
    rect(930, 400, 380, 280, '#fbf7ec') +
    path('M890 410 L1120 250 L1350 410 Z', '#17352b') +
    rect(1080, 520, 84, 160, '#17352b', 'rx="42"') +
    rect(970, 470, 74, 90, '#c9dccf') +
    rect(1200, 470, 74, 90, '#c9dccf');
  const beds = Array.from({ length: 60 }, (_, index) =>
    circle(
      index < 30 ? random(60, 620) : random(900, 1540),
      random(880, 1030),
      random(12, 30),
      ['#e3b04b', '#d9694a', '#f6e3b4', '#7fa66b'][index % 4] as string,
    ),
  );
  return svg(
    sky(colours.top, colours.bottom) +
      circle(300, 230, 96, '#fff3d0') +
      path(ridge(random, 560, 60, 5), colours.far) +
      house +
      tree(780, 690, 260, '#2f6147') +
      tree(1440, 700, 320, '#24503a') +
      path(ridge(random, 700, 18, 4), colours.lawn) +
      path('M1090 690 C1080 800 760 850 700 1067 L1010 1067 C1010 900 1160 800 1160 690 Z', colours.path) +
      tree(220, 800, 380, '#24503a') +
      beds.join(''),
  );
}

export function terrace(): string {
  const pot = (x: number, y: number, size: number, fill: string) =>
    [-70, -35, 0, 35, 70].map((turn) => leaf(x, y - size * 0.2, size * 1.3, turn - 90, '#2f6147')).join('') +
    path(`M${x - size / 2} ${y - size * 0.3} h${size} l${-size * 0.14} ${size * 0.8} h${-size * 0.72} Z`, fill);
  const tiles = Array.from({ length: 9 }, (_, index) =>
    path(`M${index * 200 - 60} 1067 L${index * 150 + 130} 780`, 'none', 'stroke="#cbbfa6" stroke-width="5"'),
  ).join('');
  return svg(
    rect(0, 0, WIDTH, HEIGHT, '#dfe9dd') +
      rect(0, 0, WIDTH, 780, '#c9dccf') +
      rect(520, 150, 560, 630, '#fbf7ec') +
      rect(560, 190, 230, 590, '#8fb5a3') +
      rect(810, 190, 230, 590, '#8fb5a3') +
      rect(0, 780, WIDTH, 287, '#e9dfc9') +
      tiles +
      pot(290, 800, 230, '#d9694a') +
      pot(1300, 790, 270, '#17352b') +
      pot(1120, 880, 150, '#e3b04b'),
  );
}

/** A small sign on a round ground. */
export function sign(kind: 'leaf' | 'drop' | 'sun', ground: string, ink: string): string {
  const drawn = {
    leaf: leaf(75, 230, 215, -45, ink),
    drop: path('M150 60 C200 130 225 165 225 200 A75 75 0 0 1 75 200 C75 165 100 130 150 60 Z', ink),
    sun:
      circle(150, 150, 52, ink) +
      Array.from(
        { length: 8 },
        (_, index) =>
          `<rect x="143" y="48" width="14" height="34" rx="7" fill="${ink}" transform="rotate(${index * 45} 150 150)"/>`,
      ).join(''),
  }[kind];
  return svg(circle(150, 150, 150, ground) + drawn, [300, 300]);
}
