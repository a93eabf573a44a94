// What is cited is in the repository: rules in src/decisions/rules, decision records beside them, and their list.
import { describe, expect, test } from 'vitest';
import {
  about,
  citationsOf,
  readCitingTree,
  recordsIn,
  rulesOf,
  shownIn,
  uncitedIn,
  unresolvedIn,
} from './support/citations.ts';
import type { SourceFile } from './support/source-tree.ts';

const tree = readCitingTree().filter(({ file }) => !about.includes(file));
const { rules, faults } = rulesOf(tree);
const records = recordsIn(tree);
const known = new Set([...rules.keys(), ...records.map((n) => `decision ${n}`)]);

const cited = (file: string, text: string): string[] =>
  citationsOf({ file, text }).flatMap(({ key, within }) => (within ? [] : [key]));

test('every citation has its line', () => expect(unresolvedIn(tree, known)).toEqual([]));

test('every rule is cited', () => expect(uncitedIn(tree, new Set(rules.keys()))).toEqual([]));

test('a rule is one line under its number, once', () => {
  expect(faults).toEqual([]);
  expect(rules.size).toBeGreaterThan(200);
});

describe.each([
  ['a rule', '// Refused (D999).', 'D999'],
  ['a rule in a test title', `test('is told once (C88)', run);`, 'C88'],
  ['a mechanism', '// (reliability M77)', 'M77'],
  ['a promise', '// R99: nothing is lost.', 'R99'],
  ['an attack', '// (A998)', 'A998'],
  ['a goal of the command line', '/** cli.md C77 */', 'cli C77'],
  ['a section', '// As licensing 9.9 says.', 'licensing 9.9'],
  ['a section over two lines', '/**\n * As licensing\n * 9.8 says.\n */', 'licensing 9.8'],
  ['the second section of a list', '// (cli.md sections 1.4, 9.7)', 'cli 9.7'],
  ['a section of a page without dot', '// (admin.md 19)', 'admin 19'],
  ['a bare section in a comment', '/** Told by the text (8.88). */', 'licensing 8.88'],
  ['a record', '// (decision 9999)', 'decision 9999'],
  ['the specification', '// (spec, Nowhere)', 'spec Nowhere'],
])('%s that does not exist', (_name, text, key) => {
  const planted: SourceFile = { file: 'src/licensing/a.ts', text };

  test('is seen', () =>
    expect(unresolvedIn([planted], known)).toEqual([expect.stringContaining(` ${key} has no`)]));
});

test.each([
  ['// (D12, D36; licensing 5.2)', ['D12', 'D36', 'licensing 5.2']],
  ['// (licensing sections 8.2, 8.3 and 8.4)', ['licensing 8.2', 'licensing 8.3', 'licensing 8.4']],
  ['// Promise R05.', ['R5']],
  ['// (cli C6)', ['cli C6']],
  ['// (spec POST /api/v1/license/checkin; D37)', ['D37', 'spec POST /api/v1/license/checkin']],
])('%s cites %j', (text, keys) => expect(cited('src/cli/a.ts', text)).toEqual(keys));

test.each([
  '// RFC 8032 (section 5.1), Linux 6.13, TLS 1.2, 82.7 bits',
  '// (RFC 8032, 5.1)',
  `const odd = '/api/%C0%AF', sheet = '+A1', steps = (4.5);`,
  '// C0 and B2 are letters.',
])('%s cites nothing', (text) => expect(cited('src/cli/a.ts', text)).toEqual([]));

test('a range cites the rules within it', () => {
  const keys = citationsOf({ file: 'src/a.ts', text: '// (D85 to D89)' }).map(({ key }) => key);
  expect(keys).toEqual(['D85', 'D89', 'D86', 'D87', 'D88']);
});

test('a rule that nothing cites is seen', () => {
  const planted = { file: 'src/a.ts', text: '// (D1)' };
  expect(uncitedIn([planted], new Set(['D1', 'D2']))).toEqual(['D2']);
});

test('a list line without a number, and a number twice, are seen', () => {
  const text = '- **D1** One.\n- D2 Two.\n- **D1** Again.\n';
  expect(rulesOf([{ file: 'src/decisions/rules/a.md', text }]).faults).toEqual([
    'src/decisions/rules/a.md:2 is not a rule: - D2 Two.',
    'src/decisions/rules/a.md:3 D1 is also in src/decisions/rules/a.md:1',
  ]);
});

describe('what people read names rules in words', () => {
  test('in this repository', () => expect(shownIn(tree)).toEqual([]));

  test.each([
    ['src/cli/a.ts', `const summary = 'days in the trash (D42)';`, 'D42'],
    ['src/cli/a.ts', `const text = \`\${used} uses (6.6)\`;`, 'licensing 6.6'],
    ['src/licensing/a.ts', `const rule = { name: 'D21' };`, 'D21'],
    ['src/kernel/a.ts', `throw new Error('refused, see cli.md section 5');`, 'cli 5'],
    ['src/cli/a.ts', `const hint = 'see decision 0031';`, 'decision 0031'],
    ['templates/help/a.md', 'An unknown key is refused (D13).', 'D13'],
    ['README.md', 'Limits are exact (reliability M18).', 'M18'],
  ])('a number is seen: %s %s', (file, text, key) => {
    expect(shownIn([{ file, text }])).toEqual([expect.stringContaining(` shows ${key}`)]);
  });

  test.each([
    ['src/cli/a.ts', `// Kept as long (D63).\nconst example = 'appctl release sign editor-2.1.0.zip';`],
    ['src/cli/a.ts', 'const id = /^[A-Z]2{3}$/.test("lic_01J9ZK3T5W8Y2QF4M6"), version = "2.1";'],
    ['README.md', 'npm run proof -- R02 R14'],
    ['test/a.test.ts', `test('is told once (D34)', run);`],
  ])('this is right: %s %s', (file, text) => expect(shownIn([{ file, text }])).toEqual([]));
});

describe('the list of records', () => {
  const list = tree.find(({ file }) => file === 'src/decisions/README.md')?.text ?? '';
  const listed = [...list.matchAll(/^- \[(\d{4})\]\(([\w.-]+)\) \S.*\.$/gm)];

  test('names every record once, in order', () => {
    const files = tree.flatMap(({ file }) => /^src\/decisions\/(\d{4}-.+\.md)$/.exec(file)?.[1] ?? []);
    expect(listed.map(([, , file]) => file)).toEqual(files);
    expect(listed.map(([, n]) => n)).toEqual(records);
  });

  test('names every file of rules', () => {
    const files = new Set([...rules.values()].map((at) => at.replace(/^src\/decisions\/|:\d+$/g, '')));
    expect([...new Set(list.match(/(?<=\]\()rules\/[\w-]+\.md(?=\))/g))].sort()).toEqual([...files].sort());
  });

  test.each(records)('%s begins with its number, which no other record has', (n) => {
    const record = tree.find(({ file }) => file.startsWith(`src/decisions/${n}-`));
    expect(record?.text).toMatch(new RegExp(`^# ${n} \\S`));
    expect(records.filter((other) => other === n)).toHaveLength(1);
  });
});
