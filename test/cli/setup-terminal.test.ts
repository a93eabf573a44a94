// The questions of `appctl setup`, typed at a real terminal: util-linux's script makes one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually } from '../support/server-process.ts';

let cwd: string;
beforeEach(() => {
  cwd = scratchFolder('appctl-wizard-');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Runs setup and types each answer when its question stands there. @returns the code and all that was shown */
async function answer(
  answers: [question: string, text: string][],
): Promise<{ code: number; screen: string }> {
  const command = `${process.execPath} ${program} setup`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close');
  let from = 0;
  for (const [question, text] of answers) {
    await eventually(() => screen.indexOf(question, from) >= 0 || child.exitCode !== null);
    from = screen.length;
    child.stdin.write(`${text}\r`);
  }
  const [code] = (await ended) as [number];
  return { code, screen };
}

test('every question is asked, and nothing is written before Apply?', async () => {
  const { code, screen } = await answer([
    ['Data directory', ''],
    ['Database', 'postgres://app@127.0.0.1:1/none'],
    ['Database', ''],
    ['Public address', 'https://license.example.com'],
    ["Owner's e-mail", 'ann@x.test'],
    ['Generate a password', 'y'],
    ['Make a first license product?', 'y'],
    ['Its slug', 'editor'],
    ['Its name', 'Editor'],
    ['Apply?', 'n'],
  ]);
  expect(screen).toContain('cannot reach 127.0.0.1:1/none');
  expect(screen).toContain('Product         Editor (editor)');
  expect(code).toBe(10);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('what was agreed to is made: owner, product and configuration', async () => {
  const { code, screen } = await answer([
    ['Data directory', ''],
    ['Database', ''],
    ['Public address', 'https://license.example.com'],
    ["Owner's e-mail", 'ann@x.test'],
    ['Generate a password', 'n'],
    ["Owner's password", 'correct horse'],
    ['Again', 'correct horse'],
    ['Make a first license product?', 'n'],
    ['Apply?', 'y'],
  ]);
  expect({ code, leaked: screen.includes('correct horse') }).toEqual({ code: 0, leaked: false });
  expect(screen).toContain('Next: appctl serve');
  expect(readFileSync(join(cwd, 'data/appctl.toml'), 'utf8')).toMatch(/^base_url = "https:\/\/license/m);
  const again = await runCli(['setup', '--json'], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ owner: { email: 'ann@x.test' }, product: null });
});
