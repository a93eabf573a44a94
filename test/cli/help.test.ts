// The manual on a terminal: pages beside commands, search, completion, and what a wrong word is answered.
import { expect, test } from 'vitest';
import { markdownBlocks } from '#kernel/views/markdown.ts';
import { allTopics, readPage } from '#platform/help/index.ts';
import { pageText } from '../../src/cli/help/page-text.ts';
import { HelpOutput } from '../../src/cli/help/schemas.ts';
import { runInside as appctl } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { runAtTerminal } from '../support/cli-terminal.ts';

const bare = (_style: unknown, text: string) => text;
const marked = (_style: unknown, text: string) => `<${text}>`;
const text = (source: string, width?: number) => pageText(markdownBlocks(source), width, bare);

test.each(allTopics)('help $topic prints the page without marks of Markdown', async ({ topic, title }) => {
  const { code, stdout, stderr } = await appctl(['help', topic]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.startsWith(`${title}\n\n`)).toBe(true);
  const outsideCode = stdout.replaceAll(/^ {2}.*$/gm, '');
  expect(outsideCode).not.toMatch(/```|\]\(|^#+ |<!--|^\| |\*\*\w/m);
});

test('words of a page may stand apart, and a command comes first', async () => {
  expect((await appctl(['help', 'ship', 'a', 'release'])).stdout).toMatch(/^Ship a signed release\n/);
  expect((await appctl(['help', 'license'])).stdout).toContain('Usage: appctl license <command>');
});

test('JSON: a page, the pages, and what a search finds', async () => {
  const json = async (...words: string[]) => {
    const { code, stdout } = await appctl(['help', ...words, '--json']);
    expect(code).toBe(0);
    return HelpOutput.parse(JSON.parse(stdout));
  };
  expect(await json('glossary')).toEqual({
    topic: 'glossary',
    title: 'Glossary',
    markdown: readPage('glossary'),
  });
  expect(await json('topics')).toMatchObject({ topics: allTopics });
  expect(await json('--search', 'FSYNC')).toEqual({
    found: [
      {
        topic: 'promises',
        title: 'What appctl promises',
        line: 'When a write is answered, it is on disk. SQLite runs with synchronous=FULL; many requests share one fsync.',
      },
    ],
  });
  expect(await json('--search', 'no page says qqq')).toEqual({ found: [] });
});

test('a search shows each page with its line, or says that there is none', async () => {
  expect((await appctl(['help', '--search', 'move to postgres', '--plain'])).stdout).toMatch(
    /^move-to-postgres\tMove to Postgres$/m,
  );
  expect((await appctl(['help', '--search', 'lost key', '--plain'])).stdout).toMatch(/^support-answers\t/m);
  expect((await appctl(['help', 'Set', 'policies'])).stdout).toMatch(/^Set policies/);
  expect((await appctl(['help', '--search', 'qqq'])).stderr).toBe(
    "no manual page contains 'qqq'; to see all: appctl help topics\n",
  );
});

test.each([
  ['glosary', 'did you mean appctl help glossary?'],
  ['postgres', 'did you mean appctl help move-to-postgres?'],
  ['webhooks', 'did you mean appctl help webhook, or appctl help send-webhooks?'],
  ['qqq', 'appctl help topics lists the manual, appctl --map lists every command'],
  ['../../package', 'appctl help topics lists the manual, appctl --map lists every command'],
  ['', 'appctl help topics lists the manual, appctl --map lists every command'],
])('help %j ends with 2 and names what is near', async (word, hint) => {
  const run = await appctl(['help', word, '--json']);
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
  expect(errorOf(run)).toMatchObject({ message: `unknown command or page '${word}'`, hint });
});

test.each([
  [['glossary', '--search', 'x'], '--search looks in every page and cannot be combined with a topic'],
  [['--search', ' '], '--search is empty'],
])('help %j is a usage error', async (words, message) => {
  const run = await appctl(['help', ...words, '--json']);
  expect([run.code, errorOf(run).message]).toEqual([2, message]);
});

test('completion offers commands and pages, and below a command its subcommands', async () => {
  const offered = async (...words: string[]) =>
    (await appctl(['complete-words', '--', 'help', ...words])).stdout.split('\n').map((line) => line.trim());
  expect(await offered('se')).toEqual([
    'serve',
    'setup',
    'service',
    'settings',
    'several-servers',
    'security',
    'serve-several-tenants',
    'sell-licenses',
    'set-policies',
    'send-webhooks',
    'send-mail',
    'sell-files',
    'sell-license-keys',
    '',
  ]);
  expect(await offered('topic')).toEqual(['topics', '']);
  expect(await offered('config', 's')).toEqual(['show', '']);
  expect(await offered('no-such', 's')).toEqual(['']);
});

test('lines are broken for a terminal, code spans and code blocks are not', () => {
  const source =
    'one two three\nfour `a b c d` five\n\n- six seven eight nine ten\n\n```bash\nten eleven twelve thirteen\n```\n';
  expect(text(source, 20)).toBe(
    'one two three four\na b c d five\n\n- six seven eight nine\n  ten\n\n  ten eleven twelve thirteen',
  );
  expect(text(source)).toContain('one two three\nfour a b c d five\n');
  expect(pageText(markdownBlocks(source), 20, marked)).toContain('one two three four\n<a b c d> five');
});

test('a table wraps its last column, and becomes a list where it does not fit', () => {
  const source = '| Name | Means |\n| - | - |\n| `a` | one two three four five six seven |\n| bb | x |\n';
  expect(text(source, 30)).toBe('Name  Means\na     one two three four five\n      six seven\nbb    x');
  expect(text(source, 20)).toBe('a\n    one two three four\n    five six seven\nbb\n    x');
  const three = '| A | B | C |\n| - | - | - |\n| one | two two two | three three three three |\n';
  expect(text(three, 24)).toBe('one\n    B: two two two\n    C: three three three\n    three');
});

test('at a terminal a page fits its width', async () => {
  const { code, screen } = await runAtTerminal(['help', 'promises'], { cwd: '/tmp' });
  expect(code).toBe(0);
  const longest = Math.max(...screen.split(/\r?\n/).map(({ length }) => length));
  expect(screen).toContain('What appctl promises');
  expect(longest).toBeLessThanOrEqual(125);
});
