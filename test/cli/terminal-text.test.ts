// What clients and customers write must not command the terminal of whoever reads it (cli.md section 1.4).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prettyLine } from '#kernel/log-pretty.ts';
import { confirmChange } from '../../src/cli/frame/confirm.ts';
import type { Cli } from '../../src/cli/frame/context.ts';
import { usageError } from '../../src/cli/frame/errors.ts';
import type { Io } from '../../src/cli/frame/io.ts';
import { renderPlain } from '../../src/cli/frame/rows.ts';
import { run } from '../../src/cli/frame/run.ts';
import { renderTable } from '../../src/cli/frame/table.ts';
import { buildTree } from '../../src/cli/frame/tree.ts';
import { jsonLine, oneLine } from '../../src/cli/printed-text.ts';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

/** Clears the screen, sets the title by an OSC, and says the same with the one-byte forms of C1. */
const HOSTILE = 'desk\u001b[2J\u001b]0;root\u0007\u009b2J\u007f\u0000\r\nnext\tend';
const control = /(?![\n\t])\p{Cc}/u;
/** What no line may hold at a terminal. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const view = { width: undefined, paint: (_style: unknown, text: string) => text, now: 0 };

const SEEN = String.raw`desk\u001b[2J\u001b]0;root\u0007\u009b2J\u007f\u0000 next end`;
/** Letters that turn the direction of a line or that nobody sees. */
const TURNED = 'ann\u202egnp.exe\u2066\u200b\u00ad\u2028\ufeff\u{e0041}';

describe('control characters are shown and not obeyed', () => {
  test('in a table, also in a text that a column makes', async () => {
    const rows = [{ id: 'a1', name: HOSTILE }];
    const made = { key: 'made', text: () => HOSTILE };
    const { text: table } = await renderTable(rows, [{ key: 'id' }, { key: 'name' }, made], view);
    expect(table).not.toMatch(control);
    expect(table.trimEnd().split('\n')).toHaveLength(2);
    expect(table).toContain(SEEN);
  });

  test('in --plain, where only its own tabs and line feeds are left', () => {
    const rows = [{ id: 'a1', name: HOSTILE, inner: { deep: HOSTILE } }];
    const text = renderPlain(rows, [{ key: 'id' }, { key: 'name' }, { key: 'inner' }]);
    expect(text).not.toMatch(control);
    expect(text.split('\t')).toHaveLength(3);
    expect(text.split('\n')).toHaveLength(2);
  });

  test('in what a person is asked to agree to, on one line', async () => {
    const prompts = { possible: false } as never;
    const given = { yes: false, name: undefined, dryRun: false };
    for (const level of ['moderate', 'severe'] as const) {
      const asked = { action: `free ${HOSTILE}`, name: 'lic_1' };
      const refused = await confirmChange(level, asked, given, prompts).catch(
        (error: Error) => error.message,
      );
      expect(refused).toBe(`confirmation needed: this will free ${SEEN}`);
    }
  });

  test('in notes, warnings, next steps and errors', async () => {
    let stderr = '';
    const stream = { on: () => undefined, isTTY: false };
    const io = {
      stdin: stream,
      stdout: { ...stream, write: () => true },
      stderr: { ...stream, write: (text: string) => void (stderr += text) },
      env: {},
    } as unknown as Io;
    const tree = buildTree<Cli>(
      [],
      [
        {
          path: 'tell',
          summary: 'tell',
          runs: ['O'],
          examples: ['sample tell'],
          load: async () => async (cli) => {
            cli.note(HOSTILE);
            cli.warn(HOSTILE);
            cli.next(HOSTILE);
            throw usageError(HOSTILE, HOSTILE);
          },
        },
      ],
    );
    expect(await run(tree, ['tell'], io)).toBe(2);
    expect(stderr).not.toMatch(control);
    expect(stderr.match(/desk/g)).toHaveLength(5);
  });
});

describe('letters that hide or turn what is shown', () => {
  test('are written as escapes', () => {
    expect(oneLine(TURNED)).toBe(String.raw`ann\u202egnp.exe\u2066\u200b\u00ad \ufeff\udb40\udc41`);
    expect(prettyLine(JSON.stringify({ level: 'info', msg: TURNED, name: HOSTILE }), false)).not.toMatch(
      hidden,
    );
  });

  test.each([
    ['an emoji of several', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f'],
    ['a Persian name', 'مهدی\u200cزاده'],
    ['a name in Devanagari', 'क्\u200dष'],
    ['accents, umlauts, Chinese', 'Zoë Müller 张伟'],
  ])('but %s stays as it is written', (_, name) => {
    expect(oneLine(name)).toBe(name);
  });

  test('JSON says the same with escapes', () => {
    const line = jsonLine({ name: TURNED + HOSTILE });
    expect(line.trimEnd()).not.toMatch(hidden);
    expect(JSON.parse(line)).toEqual({ name: TURNED + HOSTILE });
  });
});

describe('a customer whose name is hostile', () => {
  const NAME = `=cmd ${TURNED}${HOSTILE}`;
  let it: Installation;
  let id: string;
  beforeAll(async () => {
    it = await prepareInstallation();
    await it.answer('product create --name Editor --slug editor'.split(' '));
    const mint = 'license mint --product editor --email ann@x.test --perpetual --name'.split(' ');
    const name = NAME.replaceAll('\u0000', ''); // No argument of a process can hold it.
    ({ id } = await it.answer<{ id: string }>([...mint, name]));
  });
  afterAll(() => it.remove());

  const lines = [
    'customer list',
    'customer show ann@x.test',
    'license show {id} --events',
    'license list --fields id,customer.name',
    'license show {id} --fields customer.name',
    'customer list --csv',
    'customer list --plain',
    'customer list --json',
    'license export --format csv',
    'license export --format json',
    'license export --format jsonl',
    'export customers --format csv',
    'export customers --format jsonl',
    'events tail',
  ];
  const words = (line: string) => line.replace('{id}', id).split(' ');

  test.each(lines)('%s shows nothing hidden at a terminal', async (line) => {
    const env = { APPCTL_DATA_DIR: join(it.cwd, 'data') };
    const { code, screen } = await runAtTerminal(words(line), { cwd: it.cwd, env });
    expect(code).toBe(0);
    expect(screen.replaceAll(/\r+\n/g, '\n')).not.toMatch(hidden);
    const isCut = /list$|list --fields|^events/.test(line);
    if (!isCut) expect(screen).toContain(String.raw`ann\u202egnp`);
  });

  test('a list as CSV in a pipe commands no terminal, and runs nothing in a spreadsheet', async () => {
    const { stdout } = await it.inside(words('customer list --csv'));
    expect(stdout.replaceAll(/\r?\n/g, '')).not.toMatch(control);
    expect(stdout).toContain("'=cmd ann\u202egnp");
  });

  test('an export in a pipe or a file is exact', async () => {
    const { stdout } = await it.inside(words('export customers --format jsonl'));
    const names = stdout.split('\n').map((line) => (line === '' ? null : JSON.parse(line).name));
    expect(names).toContain(NAME.replaceAll('\u0000', ''));
    const csv = (await it.inside(words('export customers --format csv'))).stdout;
    await it.inside(words('export customers --format csv --out customers.csv'));
    expect(readFileSync(join(it.cwd, 'customers.csv'), 'utf8')).toBe(csv);
    expect(csv).toContain('desk\u001b[2J');
  });
});
