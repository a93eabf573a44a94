// appctl docs: man pages and the command reference, from the declarations of the commands.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configTable } from '#kernel/config/table.ts';
import { manPage } from '../../src/cli/docs/man.ts';
import type { ReferencePage } from '../../src/cli/docs/pages.ts';
import { visibleSpecs } from '../../src/cli/frame/map.ts';
import { commandTree } from '../../src/cli/index.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let cwd: string;
beforeAll(() => {
  cwd = scratchFolder('appctl-docs-');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const appctl = (...args: string[]) => runInside(args, { cwd });
const specs = visibleSpecs(await commandTree());

describe('man pages', () => {
  test('every command has one, of section 1, and the configuration one of section 5', async () => {
    const plan = JSON.parse((await appctl('docs', 'man', '--out', 'man', '-n', '--json')).stdout);
    expect(plan.dryRun).toBe(true);
    expect(existsSync(join(cwd, 'man'))).toBe(false);
    const { files } = JSON.parse((await appctl('docs', 'man', '--out', 'man', '--json')).stdout);
    expect(files).toEqual(plan.files);
    const pages = readdirSync(join(cwd, 'man/man1'));
    for (const { path } of specs) expect(pages).toContain(`appctl-${path.replaceAll(' ', '-')}.1`);
    expect(pages).toContain('appctl.1');
    expect(pages).toContain('appctl-license.1');
    expect(readdirSync(join(cwd, 'man/man5'))).toEqual(['appctl.toml.5']);
  });

  /** What groff and mandoc warn about, seen in the text: requests nobody knows, letters that are none, breaks in words. */
  const faultsIn = (text: string): string[] =>
    text
      .split('\n')
      .slice(1, -1)
      .filter(
        (line) =>
          line === '' ||
          (/^[.']/.test(line) && !/^\.(?:TH|SH|PP|TP|B|nf|fi|nh|ad l)(?: |$)/.test(line)) ||
          /[^\x20-\x7e]/.test(line) ||
          /\\(?![-e&]|f[BR]|\((?:dq|aq|ga|ha|ti)|\[u[0-9A-F]{4,6}\])/.test(line),
      );

  test('they hold nothing that a formatter warns about', () => {
    const folder = join(cwd, 'man/man1');
    const files = [
      ...readdirSync(folder).map((name) => join(folder, name)),
      join(cwd, 'man/man5/appctl.toml.5'),
    ];
    const faults = files.flatMap((file) =>
      faultsIn(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`),
    );
    expect(faults).toEqual([]);
    expect(faultsIn('x\n.XX a\ncafé\n\\q\n\n')).toHaveLength(4);
  });

  test('whatever a text holds, a page shows it as it is', () => {
    const page: ReferencePage = {
      name: 'appctl-x',
      section: 1,
      title: 'appctl x',
      summary: 'x',
      group: 'x',
      sections: [
        { title: 'A', blocks: [{ kind: 'text', text: ".SH is none, 'nor' this, \\fB – “é” …" }] },
        { title: 'B', blocks: [{ kind: 'code', lines: ['.hidden --flag', "'quoted' \\n"] }] },
      ],
    };
    const text = manPage(page, { version: '1.0.0', day: '2026-01-02' });
    expect(faultsIn(text)).toEqual([]);
    expect(text).toContain('.TH "APPCTL\\-X" "1" "2026-01-02" "appctl 1.0.0" "Commands of appctl"');
    expect(text).toContain(
      '\\&.SH is none, \\(aqnor\\(aq this, \\efB \\[u2013] \\[u201C]\\[u00E9]\\[u201D] ...',
    );
    expect(text).toContain('\\&.hidden \\-\\-flag\n\\(aqquoted\\(aq \\en');
  });

  test('one page goes to stdout; a command that is none is 3, with the one that was meant', async () => {
    const mint = (await appctl('docs', 'man', 'license', 'mint')).stdout;
    expect(mint).toContain('.TH "APPCTL\\-LICENSE\\-MINT" "1"');
    for (const part of ['SYNOPSIS', 'FLAGS', 'EXIT CODES', 'EXAMPLES'])
      expect(mint).toContain(`.SH ${part}\n`);
    const file = (await appctl('docs', 'man', 'appctl.toml')).stdout;
    for (const { key, toml, env } of configTable) expect(file).toContain(toml === false ? env : key);
    expect((await appctl('docs', 'man')).stdout).toContain('.TH "APPCTL" "1"');
    const none = await appctl('docs', 'man', 'licence', 'mint', '--out', 'm', '--json');
    expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 3, stdout: '' });
    expect(errorOf(none).hint).toBe('did you mean appctl license mint?');
    expect((await appctl('docs', 'man', '--json')).code).toBe(2);
    expect((await appctl('docs', 'html')).code).toBe(2);
  });
});

test('the reference as Markdown: one document, or a file for each group with a list', async () => {
  const all = (await appctl('docs', 'markdown')).stdout;
  for (const { path } of specs) expect(all).toContain(`# appctl ${path}\n`);
  expect(all).not.toMatch(/<[a-z]/i);
  await appctl('docs', 'markdown', '--out', 'reference');
  const list = readFileSync(join(cwd, 'reference/README.md'), 'utf8');
  const linked = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file);
  expect(readdirSync(join(cwd, 'reference')).sort()).toEqual(['README.md', ...linked].sort());
  expect(readFileSync(join(cwd, 'reference/license.md'), 'utf8')).toContain('## appctl license mint\n');
});
