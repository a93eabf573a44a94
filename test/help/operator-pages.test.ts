// The operators' pages are followed on an empty Debian by `npm run proof -- MANUAL`. Here: no command of theirs is left out.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readPage, sections } from '#platform/help/index.ts';
import { notFollowed, notRun } from '../proof/parts/operator-left-out.ts';
import { walks } from '../proof/parts/operator-pages.ts';
import { commandsOf, isShownBy, namedCommands, statementsOf } from '../proof/parts/page-commands.ts';
import { commandsIn } from '../proof/parts/page-walk.ts';

const chapter = sections.find(({ title }) => title === 'Run a server')?.topics ?? [];
const followed = [...new Set(walks.map(({ topic }) => topic))];
const run = walks.flatMap((walk) => commandsIn(walk));

test('every page of the chapter for operators is followed, or says why not', () => {
  const topics = chapter.map(({ topic }) => topic);
  expect(topics.filter((topic) => !followed.includes(topic) && notFollowed[topic] === undefined)).toEqual([]);
  expect(followed.filter((topic) => !topics.includes(topic))).toEqual([]);
  expect(Object.keys(notFollowed).filter((topic) => followed.includes(topic))).toEqual([]);
});

describe.each(followed)('%s', (topic) => {
  const commands = commandsOf(readPage(topic));
  const reasons = notRun[topic] ?? {};

  test('every command is run, or there is a reason why it cannot be run', () => {
    const ran = walks.filter((walk) => walk.topic === topic).flatMap((walk) => commandsIn(walk));
    const left = commands.filter(({ text }) => !ran.some((one) => one.text === text)).map(({ text }) => text);
    const named = namedCommands(readPage(topic)).filter((name) => !run.some((one) => isShownBy(name, one)));
    const unexplained = [...left, ...named].filter((text) => reasons[text] === undefined);
    expect(unexplained).toEqual([]);
    expect(Object.keys(reasons).filter((text) => ![...left, ...named].includes(text))).toEqual([]);
  });

  test('each command is a whole one', () => {
    const broken = commands.filter(({ text }) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: `${text}\n`, encoding: 'utf8' });
      return status !== 0 || stderr !== '';
    });
    expect([broken.map(({ text }) => text), commands.length > 0]).toEqual([[], true]);
  });

  test('walks name headings that the page has', () => {
    const headings = new Set(
      [...readPage(topic).matchAll(/^##? (.+)$/gm)].map(([, heading = '']) => heading),
    );
    const named = walks
      .filter((walk) => walk.topic === topic)
      .flatMap(({ only = [], without = [], between = {}, other }) => [
        ...only,
        ...without,
        ...Object.keys(between),
        ...(other?.headings ?? []),
      ]);
    expect(named.filter((heading) => !headings.has(heading))).toEqual([]);
  });
});

test('a document and a line that goes on belong to their command', () => {
  const block =
    "# a comment\numask 077\nsudo tee a > b <<'END'\none\n\ntwo\nEND\nappctl x \\\n  --flag\na |\nb\n";
  expect(statementsOf(block)).toEqual([
    'umask 077',
    "sudo tee a > b <<'END'\none\n\ntwo\nEND",
    'appctl x \\\n  --flag',
    'a |\nb',
  ]);
});

test('a command that a sentence names, and no block shows, is found', () => {
  const page =
    '# Title\nRun `sudo appctl service\ninstall` or `jq`.\n\n```bash\nappctl service install --yes\n```\n';
  expect(namedCommands(page)).toEqual(['sudo appctl service install']);
  const [shown] = commandsOf(page);
  expect(shown).toEqual({ text: 'appctl service install --yes', heading: 'Title', needsMachine: false });
  expect([
    isShownBy('sudo appctl service install', shown as never),
    isShownBy('appctl service uninstall', shown as never),
  ]).toEqual([true, false]);
});
