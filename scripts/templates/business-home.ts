import { all, buttons, column, columns, grid, group, h, image, list, p, quote } from './blocks.ts';
import type { Finished } from './site.ts';

const service = (site: Finished, sign: string, title: string, text: string) =>
  group(
    { background: 'accent-5', padding: '40', paddingX: '40', radius: '20px', gap: '20', layout: { type: 'default' } },
    image(site.picture(sign), { width: '64px' }),
    h(3, title, { size: 'x-large' }),
    p(text, { size: 'medium' }),
  );
const figure = (number: string, text: string) =>
  group(
    { gap: '0', layout: { type: 'default' } },
    p(`<strong>${number}</strong>`, { size: 'xx-large', text: 'accent-2' }),
    p(text, { size: 'medium' }),
  );
export const price = (title: string, sum: string, text: string, items: string[], isChosen = false) =>
  group(
    {
      background: isChosen ? 'accent-3' : 'accent-5',
      ...(isChosen && { text: 'base' }),
      padding: '40',
      paddingX: '40',
      radius: '20px',
      layout: { type: 'default' },
    },
    h(3, title, { size: 'large' }),
    p(`<strong>${sum}</strong> a month`, { size: 'x-large' }),
    p(text, { size: 'medium' }),
    list(...items),
  );
const said = (text: string, who: string) =>
  group(
    { background: 'base', padding: '40', paddingX: '40', radius: '20px', layout: { type: 'default' } },
    quote(text, who),
  );

const callToAction = (site: Finished) =>
  group(
    { align: 'full', marginTop: '0', background: 'accent-2', text: 'accent-3', padding: '70' },
    h(2, 'Shall we come and have a look?', { center: true, size: 'xx-large' }),
    p('The first visit costs nothing and takes an hour. Have tea ready.', { center: true }),
    buttons([{ label: 'Book a visit', url: site.page('contact') }], true),
  );

export function home(site: Finished): string {
  return all(
    group(
      { align: 'full', marginTop: '0', padding: '60' },
      columns(
        { align: 'wide', middle: true, gap: '60' },
        column(
          '50%',
          true,
          p('GARDENS AND TERRACES SINCE 1998', { size: 'small', text: 'accent-1' }),
          `<!-- wp:heading {"level":1,"style":{"typography":{"fontSize":"clamp(2.6rem, 5.4vw, 4.8rem)","lineHeight":"1.04"}}} -->\n<h1 class="wp-block-heading" style="font-size:clamp(2.6rem, 5.4vw, 4.8rem);line-height:1.04">A garden that looks after you, too.</h1>\n<!-- /wp:heading -->`,
          p(
            'We plan, plant and keep gardens for people who would rather sit in them. Honest prices, the same two faces every month, and no leaf blowers before nine.',
          ),
          buttons([
            { label: 'Book a visit', url: site.page('contact') },
            { label: 'What we do', url: site.page('services'), outline: true },
          ]),
        ),
        column('50%', true, image(site.picture('garden'), { radius: '28px', ratio: '4/3' })),
      ),
    ),
    group(
      { align: 'full', marginTop: '0', padding: '60' },
      h(2, 'Three things, done properly', { align: 'wide', size: 'xx-large' }),
      grid(
        { align: 'wide', gap: '40' },
        service(
          site,
          'sign-leaf',
          'Planning',
          'We measure, draw and ask many questions. You get a plan that you can read, with every plant and its price.',
        ),
        service(
          site,
          'sign-sun',
          'Planting',
          'From the first spade to the last rose, with our own people. We leave the place cleaner than we found it.',
        ),
        service(
          site,
          'sign-drop',
          'Keeping',
          'Once a month, all year: mowing, pruning, watering and a short note about what we have seen.',
        ),
      ),
    ),
    group(
      { align: 'full', marginTop: '0', background: 'accent-3', text: 'base', padding: '60' },
      grid(
        { align: 'wide', gap: '50', least: '12rem' },
        figure('28', 'years in the same town'),
        figure('340', 'gardens that we know by name'),
        figure('12', 'gardeners, two of them apprentices'),
        figure('97 %', 'of our clients stay for another year'),
      ),
    ),
    group(
      { align: 'full', marginTop: '0', padding: '70' },
      columns(
        { align: 'wide', middle: true, gap: '60' },
        column('50%', true, image(site.picture('terrace'), { radius: '28px', ratio: '4/3' })),
        column(
          '50%',
          true,
          h(2, 'Small places are our favourite', { size: 'xx-large' }),
          p(
            'A balcony of six square metres needs more thought than a park. We have made herb walls for kitchens, shade for bedrooms and one pond on a fifth floor.',
          ),
          list(
            'Soil and pots that last ten years',
            'Plants that fit the light you have',
            'Watering that works while you are away',
          ),
        ),
      ),
    ),
    group(
      { align: 'full', marginTop: '0', background: 'accent-5', padding: '70' },
      h(2, 'What people say', { align: 'wide', size: 'xx-large' }),
      grid(
        { align: 'wide', gap: '40' },
        said(
          'They asked where I drink my coffee, and began there. I did not know that one could begin there.',
          'Helen Okafor, Mill Lane',
        ),
        said('The invoice was lower than the estimate. I had to read it twice.', 'Dental practice Brandt'),
        said('Our children now know eleven birds. That was not in the contract.', 'The Sousas'),
      ),
    ),
    callToAction(site),
  );
}
