import type { Diagnosis } from '#features/diagnosis/diagnosis.ts';
import type { Found } from '#features/docs/docs.ts';
import { cleanAnswer } from './clean-answer.ts';
import type { Answered, Question, Show } from './question.ts';
import type { Toolbox } from './toolbox.ts';

const INTRODUCTION =
  'I am the built-in helper: no person and no language model. I look things up in the docs and look at your site; people of the support read this too.';

/** Without a model: the docs, a diagnosis of the site that it is about, and what that suggests as a proposal. */
export async function answerBuiltIn(
  question: Question,
  tools: Toolbox,
  show: Show,
  baseUrl: string,
): Promise<Answered> {
  const said = [INTRODUCTION];
  const tell = async (...more: string[]) => {
    said.push(...more.filter(Boolean));
    await show({ text: () => said.join('\n\n'), steps: tools.steps });
  };
  await tell();
  const asked = question.thread.at(-1)?.text ?? '';
  const fqdn = await siteOf(question, asked, tools);
  if (fqdn) await tell(...(await diagnose(fqdn, tools, baseUrl)));
  const found = await tools.docsAbout(`${question.subject} ${asked}`);
  await tell(docs(found));
  if (said.length === 1)
    await tell('I found nothing about this. Name the site if it is about one; otherwise people will answer you.');
  return { text: said.join('\n\n'), steps: tools.steps, drafts: tools.drafts };
}

/** The site that the ticket names, or that its words name, or the only one there is. */
async function siteOf({ fqdn, subject, thread }: Question, asked: string, tools: Toolbox): Promise<string | undefined> {
  if (fqdn) return fqdn;
  const answer = await tools.use('listSites', { size: 100 });
  if (!answer.ok) return undefined;
  const names = (answer.data as { results: { fqdn: string }[] }).results.map((site) => site.fqdn);
  return (
    nameIn(asked, names) ??
    nameIn(`${subject} ${thread[0]?.text ?? ''}`, names) ??
    (names.length === 1 ? names[0] : undefined)
  );
}

/** The longest name that stands in the text by itself: a part of another name is not meant. */
export function nameIn(text: string, names: readonly string[]): string | undefined {
  const standsIn = (name: string) =>
    new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'i').test(text);
  return names.toSorted((a, b) => b.length - a.length).find(standsIn);
}

async function diagnose(fqdn: string, tools: Toolbox, baseUrl: string): Promise<string[]> {
  const answer = await tools.use('diagnoseSite', { fqdn });
  if (!answer.ok) return [`I could not look at ${fqdn}: ${answer.data}`];
  const { findings, woke } = answer.data as Diagnosis;
  const lines = findings.map(({ text }) => `- ${plain(cleanAnswer(text, baseUrl))}`).join('\n');
  const suggestion = findings.find((finding) => finding.suggestion !== null)?.suggestion;
  const head = `I looked at **${fqdn}**${woke ? ' (it slept, and is awake now)' : ''}:`;
  if (!suggestion) return [`${head}\n\n${lines}`];
  const proposed = await tools.use(suggestion.operation, suggestion.input);
  const end = proposed.ok
    ? 'Below is what I would do. Nothing happens until you confirm it.'
    : `I would propose to restore it, but: ${proposed.data}`;
  return [`${head}\n\n${lines}`, end];
}

/** A site's log may hold anything; of markdown it shall be none. */
const plain = (text: string) => text.replaceAll(/[[\]<>`*!]/g, ' ').replaceAll(/\s+/g, ' ');

function docs(found: readonly Found[]): string {
  if (found.length === 0) return '';
  const lines = found.slice(0, 3).map(({ title, heading, address, excerpt }) => {
    const name = heading ? `${title}: ${heading}` : title;
    return `- [${name}](${address}): ${excerpt}`;
  });
  return `In the docs:\n\n${lines.join('\n')}`;
}
