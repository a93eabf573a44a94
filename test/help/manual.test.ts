// The manual as a whole: every page is listed, tested and reachable, and the README stays a landing page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderMarkdown } from '#kernel/views/markdown.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { allTopics, pictureOf, readPage, sections } from '#platform/help/index.ts';
import { commandTree } from '../../src/cli/index.ts';
import { walks } from '../proof/parts/operator-pages.ts';
import { blocksOf, filesOf } from '../support/command-blocks.ts';
import { useConfigFolder } from '../support/config-folder.ts';

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

/** How many pages of a chapter the README names. */
const NAMED = 5;

test('the README is a landing page that lists the chapters as the server does, each with its first pages', () => {
  expect(Buffer.byteLength(readme)).toBeLessThan(8192);
  const chapters = sections.map(({ title, topics }) => {
    const named = topics.slice(0, NAMED).map((one) => `[${one.title}](${pages}/${one.topic}.md)`);
    const more = topics.length - named.length;
    return `- **${title}**: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  });
  expect(readme).toContain(`\n${chapters.join('\n')}\n`);
});

test('the README shows a page of the program', () => {
  expect(readme).toMatch(/!\[[^\]]{20,}\]\(templates\/assets\/help\/[\w-]+\.png\)/);
});

test.each(
  allTopics.filter(({ topic }) => blocksOf(readPage(topic)).length + filesOf(readPage(topic)).length > 0),
)('the commands and programs of $topic are run by a test of their own', ({ topic }) => {
  expect(read(`test/help/${topic}.test.ts`)).toMatch(new RegExp(`(testPage|readPage)\\('${topic}'`));
});

/** test/cli/desk-session.test.ts holds the session that it shows. */
const RECORDED = 'work-from-your-desk';

/** They show files and commands of other programs: Postgres, systemd and certbot. */
const OF_OTHERS = ['back-up', 'certificates', 'install', 'reverse-proxy', 'several-servers'];

test.each(allTopics)('$topic has no block of commands that nobody runs', ({ topic }) => {
  const languages = [...readPage(topic).matchAll(/^```(.+)$/gm)].map(([, language]) => language);
  const isHeld = (one: string | undefined) =>
    ['bash', 'js', 'html', 'yaml'].includes(String(one)) ||
    // Followed on an empty Debian, as test/help/operator-pages.test.ts demands.
    (one === 'bash machine' && walks.some((walk) => walk.topic === topic)) ||
    (one === 'text' && [RECORDED, ...OF_OTHERS].includes(topic)) ||
    // Lines of the configuration file, which the test below has the program read.
    one === 'toml' ||
    // Compared with what `appctl service print` prints.
    (one === 'ini' && topic === 'run-as-a-service');
  expect(languages.filter((one) => !isHeld(one))).toEqual([]);
});

const { file, load } = useConfigFolder();
const configurations = allTopics.flatMap(({ topic }) =>
  [...readPage(topic).matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => ({ topic, text })),
);

test.each(configurations)(
  'the program accepts lines of configuration that $topic shows',
  async ({ text }) => {
    file('appctl.toml', text);
    const { files, warnings } = await load();
    expect([files.config?.endsWith('/appctl.toml'), warnings]).toEqual([true, []]);
  },
);

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
  const link = (href: string) => {
    links.push(href);
    return href;
  };
  // A picture is named from where the file is.
  renderMarkdown(read(file), link, (href) => pictureOf(href.replace(/^templates\//, '../')));
  const broken = links.filter((link) => !link.startsWith('https://') && !leadsSomewhere(file, link));
  expect(broken).toEqual([]);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#', 2);
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(root, file))) return false;
  // Links between files of the server and the repository cannot both work: pages name pages and their own files alone.
  const own = `${from.replace(/\.md$/, '')}/`;
  if (from.startsWith(pages) && dirname(file) !== pages && !file.startsWith(own)) return false;
  if (anchor === undefined) return true;
  return renderMarkdown(read(file), (href) => href, pictureOf).headings.some(({ id }) => id === anchor);
}

/** Pictures that pages show, with their words. */
const pictures = allTopics.flatMap(({ topic }) =>
  [...readPage(topic).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words = '', href = '']) => ({
    topic,
    words,
    href,
  })),
);

test('pages show the pictures that ship, and no other', () => {
  const shipped = readdirSync(join(root, 'templates/assets/help')).map((name) => `../assets/help/${name}`);
  expect([...new Set(pictures.map(({ href }) => href))].sort()).toEqual(shipped.sort());
  expect(shipped.length).toBeGreaterThanOrEqual(6);
});

test.each(pictures)(
  'the picture $href of $topic is small, is described and may be kept',
  ({ words, href }) => {
    expect(words.split(' ').length).toBeGreaterThan(3);
    expect(read(`${pages}/${href}`).length).toBeGreaterThan(0);
    const { address, width, height } = pictureOf(href);
    expect([width, height > 200]).toEqual([1280, true]);
    const found = createStaticFiles(undefined).find(address.slice('/assets/'.length));
    expect([found?.isCurrent, found?.file.type]).toEqual([true, 'image/png']);
    expect(found?.file.read(['identity']).bytes.length).toBeLessThanOrEqual(60 * 1024);
  },
);

test('the page of errors names every code that the client can throw, and every one that access() returns', () => {
  const page = readPage('client-errors');
  const codesIn = (file: string, pattern: RegExp) =>
    [...read(file).matchAll(pattern)].map(([, code = '']) => code);
  const thrown = codesIn('src/client/errors.ts', /^ {2}\| '([A-Z_]+)'/gm);
  const offline = codesIn('src/client/token.ts', /'([A-Z]+(?:_[A-Z]+)*)'/g).filter(
    (code) => !['STANDARD', 'ACTIVE'].includes(code),
  );
  const online = [
    'VALID',
    'GRACE',
    'NOT_ACTIVATED',
    'EXPIRED',
    'SUSPENDED',
    'REVOKED',
    'NOT_FOUND',
    'UNREACHABLE',
  ];
  const unnamed = [...thrown, ...offline, ...online].filter(
    (code) => !new RegExp(`\\b${code}\\b`).test(page),
  );
  expect([thrown.length > 10, offline.length > 5, unnamed]).toEqual([true, true, []]);
});

test('programs of pages about the client say which file they are, so that a test runs them', () => {
  const chapter = sections.find(({ title }) => title === 'Build licensing into an application');
  for (const { topic } of chapter?.topics ?? []) {
    const blocks = [...readPage(topic).matchAll(/^```(?:js|html)$/gm)];
    expect([topic, filesOf(readPage(topic)).length]).toEqual([topic, blocks.length]);
  }
});
