import { all, h, image, list, p, quote } from './blocks.ts';
import type { DraftPost } from './site.ts';

/** Seven entries of a journal that nobody kept. */
export const posts: DraftPost[] = [
  {
    slug: 'the-first-boat-out',
    title: 'The first boat out',
    date: '2026-03-28 06:40:00',
    excerpt:
      'At five the harbour belongs to the gulls and to whoever could not sleep. This morning, both of us were there.',
    categories: ['coast'],
    picture: 'harbour',
    content: (site) =>
      all(
        p(
          'At five the harbour belongs to the gulls and to whoever could not sleep. This morning, both of us were there. The first boat left without a sound that I could hear, only a line on the water that took a long time to close again.',
        ),
        p(
          'I have been coming to this wall for eleven years. I used to bring a camera, then a notebook, and now I mostly bring coffee. What I wanted to keep does not fit in any of them, but the coffee stays warm the longest.',
        ),
        h(2, 'What the tide leaves'),
        p(
          'There is an hour in which the stones are darker at the bottom than at the top, and you can read from them how high it was. It is the only newspaper here that is never wrong.',
        ),
        list(
          'A cork, painted blue on one side',
          'Half an oar, which I leave for somebody with a boat',
          'A glove, for the left hand, as always',
        ),
        quote(
          'You do not need to know where it goes. You need to know when it comes back.',
          'Said on the pier, to nobody in particular',
        ),
        image(site.picture('lighthouse'), { align: 'wide', radius: '12px' }),
        p(
          'When the sun was over the second roof I walked home by the long way. The bakery had its door open. It is a good town for people who wake early and mean nothing by it.',
        ),
      ),
  },
  {
    slug: 'lemons-in-winter',
    title: 'Lemons in winter',
    date: '2026-03-19 09:10:00',
    excerpt: 'A bowl on the table, a jar on the shelf, and the patience of salt: how a bag of lemons lasts until June.',
    categories: ['kitchen'],
    picture: 'bowl',
    content: () =>
      all(
        p(
          'They come in February, when nothing else does, and far too many at once. The neighbour leaves them on the step in a bag that once held cement. For a week we put lemon into everything, and then we reach for the salt.',
        ),
        h(2, 'You need'),
        list(
          'Eight lemons that nobody has waxed',
          'Coarse salt, about a teacup',
          'A jar with a lid you trust',
          'A dark shelf, and three weeks',
        ),
        h(2, 'What to do'),
        p(
          'Cut each lemon into quarters, but not all the way: they should open like a flower. Fill them with salt, press them into the jar until the juice covers everything, and turn the jar over every morning while the kettle boils.',
        ),
        p(
          'After three weeks the peel is soft and the kitchen smells of somewhere else. Rinse a quarter, throw away the flesh, and cut the peel into whatever you are cooking.',
        ),
      ),
  },
  {
    slug: 'a-walk-to-the-north-light',
    title: 'A walk to the north light',
    date: '2026-03-08 17:20:00',
    excerpt:
      'Nine miles, one gate that does not open, and a bench that somebody built facing the wrong way on purpose.',
    categories: ['walks'],
    picture: 'lighthouse',
    content: () =>
      all(
        p(
          'The path begins behind the school and pretends for a mile that it goes somewhere sensible. Then it turns, and the sea is on the side where you did not expect it.',
        ),
        p(
          'It takes four hours if you do not stop, and nobody has ever managed that. There is a gate that does not open and a stile that was put there to apologise for it.',
        ),
        quote('Sit with your back to the view and it will come round.', 'On the bench at the sixth mile'),
        p(
          'Take water. Take something to put on the lamp room floor if you mean to wait for the light. It comes on at dusk with a click that you can hear from the car park.',
        ),
      ),
  },
  {
    slug: 'letters-we-did-not-send',
    title: 'Letters we did not send',
    date: '2026-02-24 20:00:00',
    excerpt: 'In the drawer under the scissors there are nine of them. I have opened one, and I will tell you which.',
    categories: ['letters'],
    picture: 'letter',
    content: () =>
      all(
        p(
          'In the drawer under the scissors there are nine letters with addresses and no stamps. They are in my own hand, and I remember writing four of them.',
        ),
        p(
          'A letter that is not sent is not the same as a letter that is not written. It has had its say. It only never had to hear the answer.',
        ),
        p(
          'The one that I opened was to the woman who sold us this house. It thanks her for the pear tree. I have put a stamp on it now.',
        ),
      ),
  },
  {
    slug: 'the-street-with-no-numbers',
    title: 'The street with no numbers',
    date: '2026-02-11 11:30:00',
    excerpt:
      'The postman knows the houses by their colours, so when the Ardens painted theirs, the town held a meeting.',
    categories: ['letters', 'coast'],
    picture: 'houses',
    content: () =>
      all(
        p(
          'There are fourteen houses in our street and not a number on any of them. The postman knows them by their colours, and for the two white ones by their cats.',
        ),
        p(
          'So when the Ardens bought three tins of yellow, there was a meeting. It was short. It was decided that the colour was very nice, and that everybody would tell the postman themselves.',
        ),
        p('He got fourteen letters that week, each of them addressed to himself.'),
      ),
  },
  {
    slug: 'how-to-watch-weather',
    title: 'How to watch weather',
    date: '2026-01-30 08:15:00',
    excerpt:
      'You begin with the far hills. If you can count them, take a coat; if you can not, it is too late for one.',
    categories: ['walks'],
    picture: 'dawn',
    content: () =>
      all(
        p(
          'You begin with the far hills. If you can count them, take a coat. If you can not, it is too late for one, and you may as well enjoy it.',
        ),
        h(2, 'Three rules'),
        list(
          'Wind before rain is a short rain',
          'Swallows know, but they do not know when',
          'What the radio says was true this morning, somewhere else',
        ),
        p(
          'After a year you will be right half of the time, which is what everybody else is too. But you will have looked up every day, and that was the point.',
        ),
      ),
  },
  {
    slug: 'soup-for-one-long-evening',
    title: 'Soup for one long evening',
    date: '2026-01-14 18:45:00',
    excerpt:
      'It wants an hour and a half, two onions, and a book that you do not mind reading with a spoon in your hand.',
    categories: ['kitchen'],
    picture: 'evening',
    content: () =>
      all(
        p(
          'It wants an hour and a half, two onions, and a book that you do not mind reading with a spoon in your hand. The onions come first, and they take longer than any recipe dares to say.',
        ),
        p(
          'Then barley, a carrot for each person who might come, and the end of the cheese. Stir when you turn a page.',
        ),
      ),
  },
];
