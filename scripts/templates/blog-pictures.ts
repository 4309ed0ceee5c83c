import { bowl, harbour, hills, houses, letter, lighthouse, portrait } from './art.ts';
import { HEIGHT, WIDTH } from './shapes.ts';
import type { DrawnPicture } from './site.ts';

const wide = { width: WIDTH, height: HEIGHT };

export const pictures: DrawnPicture[] = [
  {
    slug: 'harbour',
    alt: 'Three boats with bright sails leave a harbour at sunrise',
    ...wide,
    svg: harbour(3, {
      top: '#f7c9a0',
      bottom: '#fbe7cf',
      sun: '#d9573b',
      sea: ['#7fb0ad', '#4d8f8f', '#2e6f73', '#1f5257'],
      sails: ['#d9573b', '#e9a23b', '#c2452d'],
    }),
  },
  { slug: 'lighthouse', alt: 'A lighthouse in red and white at night', ...wide, svg: lighthouse() },
  {
    slug: 'bowl',
    alt: 'A blue bowl full of lemons on a table',
    ...wide,
    svg: bowl('#f3dcc0', '#c98d5e', '#2e6f73', [
      '#f2c14e',
      '#eab13a',
      '#f2c14e',
      '#f6cf6b',
      '#eab13a',
      '#f2c14e',
      '#f6cf6b',
      '#f2c14e',
    ]),
  },
  { slug: 'letter', alt: 'An envelope with a red seal and a pen', ...wide, svg: letter() },
  {
    slug: 'houses',
    alt: 'A row of narrow houses in many colours by the water',
    ...wide,
    svg: houses(7, '#f7c9a0', ['#d9573b', '#e9a23b', '#fbf3e4', '#2e6f73', '#c98d5e', '#7fb0ad', '#b9442b']),
  },
  {
    slug: 'dawn',
    alt: 'Hills one behind the other under a low sun',
    ...wide,
    svg: hills(
      21,
      {
        top: '#f2a27e',
        bottom: '#fbe7cf',
        sun: '#fff3d8',
        layers: ['#d98a74', '#a8616a', '#6f4a5c', '#3d3550', '#24283f'],
      },
      [1120, 380, 110],
    ),
  },
  {
    slug: 'evening',
    alt: 'Green hills in the evening',
    ...wide,
    svg: hills(
      9,
      { top: '#2b4a5a', bottom: '#e8b98b', sun: '#f6d9a8', layers: ['#5d7f78', '#42695f', '#2c5148', '#1d3b35'] },
      [480, 470, 84],
    ),
  },
  {
    slug: 'author',
    alt: 'A drawing of whoever writes here',
    width: 900,
    height: 1100,
    svg: portrait('#f3dcc0', { hair: '#5b3a2e', skin: '#f0c4a0', coat: '#2e6f73' }),
  },
];
