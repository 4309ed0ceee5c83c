import assert from 'node:assert/strict';
import {
  type Area,
  askRest,
  hoverRow,
  openAdmin,
  publish,
  type SiteUnderTest,
  saved,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

/** Comments, and what their owner does with them. */
export const TALKING: Area[] = [
  { name: 'a visitor comments, and the comment shows once it is approved', isShort: true, walk: moderate },
  { name: 'a comment is answered, called spam, and brought back from the trash', walk: keepOrder },
];

async function moderate(site: SiteUnderTest): Promise<void> {
  const { page, stranger, administrator } = site;
  await publish(site, 'Open to all', { slug: 'open-to-all' });
  await visitAsStranger(site, '/open-to-all/');
  await stranger.fill('#comment', 'The first word');
  await stranger.fill('#author', 'Visitor');
  await stranger.fill('#email', 'visitor@example.net');
  await stranger.click('#submit');
  await sees(stranger, 'Your comment is awaiting moderation.');
  await site.mailTo(administrator.email, 'Open to all');

  await openAdmin(site, 'edit-comments.php?comment_status=moderated');
  const row = await hoverRow(site, 'The first word');
  await saved(site, () => row.getByRole('button', { name: 'Approve this comment' }).click());
  await openAdmin(site, 'edit-comments.php?comment_status=approved');
  await sees(page.locator('#the-comment-list'), 'The first word');
  // Without the cookie that would show them their own comment anyway.
  await stranger.context().clearCookies();
  const { text } = await visitAsStranger(site, '/open-to-all/');
  assert.match(text, /The first word/);
}

async function keepOrder(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const post = await publish(site, 'Much talked about', { slug: 'much-talked-about' });
  const say = (content: string) =>
    askRest(site, '/wp/v2/comments', {
      body: { post: post.id, content, author_name: 'Visitor', author_email: 'visitor@example.net', status: 'approved' },
    });
  await say('What a question');
  await say('Buy watches');
  await openAdmin(site, 'edit-comments.php');
  await (await hoverRow(site, 'What a question')).getByRole('button', { name: 'Reply to this comment' }).click();
  await page.locator('#replycontent').fill('What an answer');
  await page.locator('#replyrow').getByRole('button', { name: 'Reply', exact: true }).click();
  await page.locator('#the-comment-list > tr.comment').filter({ hasText: 'What an answer' }).waitFor();
  await (await hoverRow(site, 'Buy watches')).getByRole('button', { name: 'Mark this comment as spam' }).click();
  await sees(page.locator('#the-comment-list'), /marked as spam/);
  let seen = await visitAsStranger(site, '/much-talked-about/');
  assert.match(seen.text, /What an answer/);
  assert.doesNotMatch(seen.text, /Buy watches/);

  await (await hoverRow(site, 'What a question'))
    .getByRole('button', { name: 'Move this comment to the Trash' })
    .click();
  await sees(page.locator('#the-comment-list'), /moved to the Trash/);
  await openAdmin(site, 'edit-comments.php?comment_status=trash');
  const row = await hoverRow(site, 'What a question');
  await saved(site, () => row.getByRole('button', { name: 'Restore' }).click());
  seen = await visitAsStranger(site, '/much-talked-about/');
  assert.match(seen.text, /What a question/);
}
