import { chance, circle, HEIGHT, path, rect, ridge, sky, svg, WIDTH } from './shapes.ts';

/** Places, things and posters for the blog and the portfolio. */
interface HillColours {
  top: string;
  bottom: string;
  sun: string;
  layers: string[];
}

export function hills(
  seed: number,
  { top, bottom, sun, layers }: HillColours,
  sunAt: [number, number, number],
): string {
  const random = chance(seed);
  const [x, y, radius] = sunAt;
  const each = layers.map((fill, index) =>
    path(ridge(random, 470 + index * (520 / layers.length), 90 - index * 9), fill),
  );
  return svg(
    sky(top, bottom) + circle(x, y, radius * 1.5, sun, 'opacity=".25"') + circle(x, y, radius, sun) + each.join(''),
  );
}

export function harbour(
  seed: number,
  colours: { top: string; bottom: string; sun: string; sea: string[]; sails: string[] },
): string {
  const random = chance(seed);
  const sea = colours.sea.map((fill, index) => path(ridge(random, 600 + index * 120, 14, 9), fill));
  const boats = colours.sails.map((fill, index) => {
    const [x, y, size] = [260 + index * 420 + random(-50, 50), 660 + index * 75, 150 + index * 46];
    return (
      path(`M${x} ${y - size * 1.5} L${x} ${y} L${x + size * 0.8} ${y} Z`, fill) +
      path(`M${x - 10} ${y - size * 1.2} L${x - 10} ${y} L${x - size * 0.5} ${y} Z`, '#fff7ea') +
      path(
        `M${x - size * 0.7} ${y + 12} L${x + size} ${y + 12} Q${x + size * 0.7} ${y + size * 0.42} ${x + size * 0.3} ${y + size * 0.42} L${x - size * 0.35} ${y + size * 0.42} Z`,
        '#24343b',
      )
    );
  });
  const [first, ...rest] = sea;
  const between = boats.map((boat, index) => boat + (rest[index] ?? '')).join('');
  return svg(sky(colours.top, colours.bottom) + circle(1180, 380, 130, colours.sun) + (first ?? '') + between);
}

export function lighthouse(): string {
  const random = chance(11);
  const beam =
    path('M800 330 L1600 120 L1600 470 Z', '#ffe9b0', 'opacity=".5"') +
    path('M800 330 L0 180 L0 420 Z', '#ffe9b0', 'opacity=".3"');
  const tower =
    path('M725 860 L752 400 L848 400 L875 860 Z', '#fbf3e4') +
    path('M739 630 L745 520 L855 520 L861 630 Z', '#d9573b') +
    path('M727 830 L732 740 L868 740 L873 830 Z', '#d9573b');
  const lamp =
    rect(756, 300, 88, 100, '#24343b', 'rx="6"') +
    rect(774, 316, 52, 64, '#ffd36b') +
    path('M740 304 L800 232 L860 304 Z', '#d9573b');
  const stars = Array.from({ length: 40 }, () =>
    circle(random(0, 1600), random(20, 420), random(1.5, 4), '#fff7ea', 'opacity=".8"'),
  ).join('');
  return svg(
    sky('#16313a', '#3f7076') +
      stars +
      beam +
      path('M420 1067 C520 860 640 830 800 840 C980 850 1080 900 1220 1067 Z', '#24343b') +
      tower +
      lamp +
      path(ridge(random, 960, 16, 10), '#1d4a52') +
      path(ridge(random, 1010, 12, 8), '#173b42'),
  );
}

export function bowl(ground: string, table: string, vessel: string, fruit: string[]): string {
  const random = chance(5);
  const fruits = fruit.map((fill, index) => {
    const [x, y] = [560 + (index % 5) * 120 + random(-16, 16), 520 - Math.floor(index / 5) * 90 + random(-12, 12)];
    return circle(x, y, 96, fill) + path(`M${x + 20} ${y - 90} q 34 -40 70 -20 q -30 34 -70 20 Z`, '#4f7a52');
  });
  const stripes = path('M430 640 Q800 700 1170 640', 'none', 'stroke="#fff7ea" stroke-width="10" opacity=".7"');
  return svg(
    rect(0, 0, WIDTH, HEIGHT, ground) +
      circle(1300, 250, 420, '#fff7ea', 'opacity=".35"') +
      rect(0, 800, WIDTH, 267, table) +
      fruits.reverse().join('') +
      path('M400 560 L1200 560 Q1160 880 900 900 L700 900 Q440 880 400 560 Z', vessel) +
      stripes +
      `<ellipse cx="800" cy="912" rx="330" ry="22" fill="#000" opacity=".12"/>`,
  );
}

export function houses(seed: number, ground: string, walls: string[]): string {
  const random = chance(seed);
  let x = 60;
  const row = walls.map((fill, index) => {
    const [width, height] = [random(170, 230), random(330, 520)];
    const y = 860 - height;
    const windows = [0, 1, 2].flatMap((line) =>
      [0.22, 0.6].map((at) => rect(x + width * at, y + 60 + line * 110, 34, 56, '#fff7ea', 'rx="4"')),
    );
    const roof =
      index % 2 === 0
        ? path(`M${x - 12} ${y} L${x + width / 2} ${y - 110} L${x + width + 12} ${y} Z`, '#24343b')
        : rect(x - 8, y - 26, width + 16, 30, '#24343b');
    const house =
      rect(x, y, width, height + 20, fill) +
      roof +
      windows.join('') +
      rect(x + width * 0.4, 790, 46, 90, '#24343b', 'rx="4"');
    x += width + 12;
    return house;
  });
  return svg(
    rect(0, 0, WIDTH, HEIGHT, ground) +
      circle(1330, 220, 92, '#fff7ea') +
      row.join('') +
      rect(0, 880, WIDTH, 187, '#24343b') +
      path(ridge(random, 960, 8, 14), '#2e6f73'),
  );
}

export function letter(): string {
  const page = (x: number, y: number, turn: number, fill: string) =>
    `<g transform="rotate(${turn} 800 560)">${rect(x, y, 720, 500, fill, 'rx="10"')}</g>`;
  const flap = path('M440 330 L800 600 L1160 330', 'none', 'stroke="#cdb999" stroke-width="8"');
  return svg(
    rect(0, 0, WIDTH, HEIGHT, '#2e6f73') +
      circle(300, 850, 360, '#3a8084') +
      circle(1350, 200, 280, '#245a5e') +
      page(430, 300, 8, '#eadfcb') +
      `<g transform="rotate(-5 800 560)">${rect(440, 330, 720, 480, '#fbf3e4', 'rx="10"')}${flap}${circle(800, 600, 62, '#d9573b')}${circle(800, 600, 40, '#b9442b')}</g>` +
      path('M980 960 L1240 380 L1262 390 L1010 975 L972 990 Z', '#24343b'),
  );
}

/** Tiles of quarters and halves of circles, as a poster. */
export function tiles(seed: number, colours: string[], [across, down]: [number, number] = [6, 4]): string {
  const random = chance(seed);
  const [width, height] = [WIDTH / across, HEIGHT / down];
  const pick = () => colours[Math.floor(random(0, colours.length - 0.001))] as string;
  const cells = Array.from({ length: across * down }, (_, index) => {
    const [x, y] = [(index % across) * width, Math.floor(index / across) * height];
    const [back, front] = [pick(), pick()];
    const turn = Math.floor(random(0, 4)) * 90;
    const kind = Math.floor(random(0, 5));
    const shape = [
      `<path d="M0 0 H${width} A${width} ${height} 0 0 1 0 ${height} Z" fill="${front}"/>`,
      `<ellipse cx="${width / 2}" cy="${height / 2}" rx="${width * 0.38}" ry="${height * 0.38}" fill="${front}"/>`,
      `<path d="M0 0 H${width} L0 ${height} Z" fill="${front}"/>`,
      `<path d="M0 ${height / 2} A${width / 2} ${height / 2} 0 0 1 ${width} ${height / 2} Z" fill="${front}"/>`,
      `<rect width="${width / 3}" height="${height}" fill="${front}"/><rect x="${(width * 2) / 3}" width="${width / 3}" height="${height}" fill="${front}"/>`,
    ][kind];
    return `<g transform="translate(${x} ${y})"><rect width="${width + 1}" height="${height + 1}" fill="${back}"/><g transform="rotate(${turn} ${width / 2} ${height / 2})">${shape}</g></g>`;
  });
  return svg(cells.join(''));
}

export function arcs(ground: string, colours: string[], [x, y]: [number, number]): string {
  const rings = colours.map((fill, index) => circle(x, y, 900 - index * (820 / colours.length), fill));
  return svg(rect(0, 0, WIDTH, HEIGHT, ground) + rings.join(''));
}

export function stacked(ground: string, colours: string[]): string {
  const block = (x: number, y: number, size: number, [top, left, right]: string[]) =>
    path(`M${x} ${y} l${size} ${-size / 2} l${size} ${size / 2} l${-size} ${size / 2} Z`, top as string) +
    path(`M${x} ${y} l${size} ${size / 2} v${size} l${-size} ${-size / 2} Z`, left as string) +
    path(`M${x + size * 2} ${y} l${-size} ${size / 2} v${size} l${size} ${-size / 2} Z`, right as string);
  const places: [number, number][] = [
    [620, 620],
    [440, 710],
    [800, 710],
    [620, 800],
    [620, 440],
    [800, 530],
    [440, 530],
    [620, 260],
  ];
  const each = places.map(([x, y], index) =>
    block(
      x,
      y,
      180,
      [0, 1, 2].map((face) => colours[(index + face) % colours.length] as string),
    ),
  );
  return svg(rect(0, 0, WIDTH, HEIGHT, ground) + each.join(''));
}

export function bottles(ground: string, shelf: string, colours: string[]): string {
  const each = colours.map((fill, index) => {
    const [x, width, height] = [230 + index * 250, 150, 380 + ((index * 97) % 170)];
    const y = 850 - height;
    return (
      rect(x, y, width, height, fill, 'rx="26"') +
      rect(x + width / 2 - 28, y - 120, 56, 130, fill, 'rx="10"') +
      rect(x + width / 2 - 34, y - 150, 68, 44, '#111214', 'rx="8"') +
      rect(x + 20, y + height * 0.35, width - 40, height * 0.34, '#f3f1ec') +
      circle(x + width / 2, y + height * 0.52, 30, fill)
    );
  });
  return svg(
    rect(0, 0, WIDTH, HEIGHT, ground) +
      circle(1240, 340, 260, shelf, 'opacity=".5"') +
      rect(0, 850, WIDTH, 217, shelf) +
      each.join(''),
  );
}

export function waves(ground: string, colours: string[]): string {
  const each = colours.map((stroke, index) => {
    const y = 160 + index * (780 / colours.length);
    const d = `M-50 ${y} C200 ${y - 190} 420 ${y + 190} 700 ${y} S1200 ${y - 190} 1650 ${y + 30}`;
    return path(d, 'none', `stroke="${stroke}" stroke-width="${820 / colours.length}"`);
  });
  return svg(rect(0, 0, WIDTH, HEIGHT, ground) + each.join(''));
}

/** A person, as few shapes as will do. */
export function portrait(ground: string, { hair, skin, coat }: { hair: string; skin: string; coat: string }): string {
  const [width, height] = [900, 1100];
  const body = path('M120 1100 Q140 760 450 760 Q760 760 780 1100 Z', coat) + rect(390, 620, 120, 190, skin, 'rx="50"');
  const head =
    path('M250 470 Q230 180 450 170 Q690 180 660 520 Q660 640 600 700 L300 700 Q240 620 250 470 Z', hair) +
    `<ellipse cx="450" cy="490" rx="150" ry="190" fill="${skin}"/>` +
    path('M290 470 Q330 260 470 270 Q600 280 615 460 Q520 420 470 340 Q400 440 290 470 Z', hair);
  return svg(rect(0, 0, width, height, ground) + circle(720, 240, 230, coat, 'opacity=".35"') + body + head, [
    width,
    height,
  ]);
}
