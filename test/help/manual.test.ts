// The manual as a whole: every page is listed, tested and reachable, and the README stays a landing page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderMarkdown } from '#kernel/views/markdown.ts';
import { allTopics, readPage, sections } from '#platform/help/index.ts';
import { commandTree } from '../../src/cli/index.ts';
import { blocksOf } from '../support/command-blocks.ts';

const root = join(import.meta.dirname, '../..');
const pages = 'templates/help';
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');

test('the table of contents lists every page once, under its title', () => {
  const files = readdirSync(join(root, pages))
    .filter((name) => name.endsWith('.md'))
    .sort();
  expect(allTopics.map(({ topic }) => `${topic}.md`).sort()).toEqual(files);
  for (const { topic, title } of allTopics) expect(readPage(topic).split('\n', 1)).toEqual([`# ${title}`]);
});

test('the README is a landing page that lists the chapters as the server does', () => {
  expect(Buffer.byteLength(readme)).toBeLessThan(8192);
  const chapters = sections.map(({ title, topics }) =>
    [`- **${title}**`, ...topics.map((one) => `  - [${one.title}](${pages}/${one.topic}.md)`)].join('\n'),
  );
  expect(readme).toContain(`\n${chapters.join('\n')}\n`);
});

test.each(allTopics.filter(({ topic }) => blocksOf(readPage(topic)).length > 0))(
  'the commands of $topic are run by a test of their own',
  ({ topic }) => {
    expect(read(`test/help/${topic}.test.ts`)).toMatch(new RegExp(`(testPage|readPage)\\('${topic}'`));
  },
);

/** test/cli/desk-session.test.ts holds the session that it shows. */
const RECORDED = 'work-from-your-desk';

test.each(allTopics)('$topic has no block of commands that nobody runs', ({ topic }) => {
  const languages = [...readPage(topic).matchAll(/^```(.+)$/gm)].map(([, language]) => language);
  const isHeld = (one: string | undefined) =>
    ['bash', 'js', 'yaml'].includes(String(one)) || (one === 'text' && topic === RECORDED);
  expect(languages.filter((one) => !isHeld(one))).toEqual([]);
});

test.each(allTopics)('$topic is no word of a command: appctl help could not print it', async ({ topic }) => {
  const { children, aliases } = (await commandTree()).root;
  expect(topic === 'topics' || children.has(topic) || aliases.has(topic)).toBe(false);
});

const texts = [
  'README.md',
  '.github/CONTRIBUTING.md',
  ...allTopics.map(({ topic }) => `${pages}/${topic}.md`),
];

test.each(texts)('links of %s lead to a file and a heading', (file) => {
  const links: string[] = [];
  renderMarkdown(read(file), (href) => {
    links.push(href);
    return href;
  });
  const broken = links.filter((link) => !link.startsWith('https://') && !leadsSomewhere(file, link));
  expect(broken).toEqual([]);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#', 2);
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(root, file))) return false;
  // Links between files of the server and the repository cannot both work: pages name pages alone.
  if (from.startsWith(pages) && dirname(file) !== pages) return false;
  if (anchor === undefined) return true;
  return renderMarkdown(read(file), (href) => href).headings.some(({ id }) => id === anchor);
}
