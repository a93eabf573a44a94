// The questions of `appctl setup`, typed at a real terminal.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../support/cli-process.ts';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { totpCode } from '../support/totp.ts';

let cwd: string;
beforeEach(() => {
  cwd = scratchFolder('appctl-wizard-');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Runs setup and types each answer when its question stands there. @returns the code and all that was shown */
const answer = (answers: [question: string | string[], text: string | ((screen: string) => string)][]) =>
  runAtTerminal(['setup'], { cwd, answers });

test('every question is asked, and nothing is written before Apply?', async () => {
  const { code, screen } = await answer([
    ['Data directory', ''],
    ['Database', 'mysql://x'],
    ['sqlite:PATH or postgres://user:password@host/name', '\x15postgres://app@127.0.0.1:1/none'],
    [['cannot reach', 'Database'], '\x15sqlite:data/appctl.db'],
    ['Public address', 'https://license.example.com'],
    ["Owner's email", 'ann@x.test'],
    ['Generate a password', 'y'],
    ['Set up two-factor', 'n'],
    ['Create a first license product?', 'y'],
    ['Its name', 'Note Editor'],
    ['Its slug', '\x15No Slug'],
    ['lower-case letters', '\x15editor'],
    ['Fill the shop', 'y'],
    ['Apply?', 'n'],
  ]);
  expect(screen).toContain('cannot reach 127.0.0.1:1/none');
  expect(screen).toContain('Product         Note Editor (editor)');
  expect(screen).toContain('Shop            sample data');
  expect(code).toBe(10);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('what was agreed to is made: owner, product and configuration', async () => {
  const { code, screen } = await answer([
    ['Data directory', ''],
    ['Database', ''],
    ['Public address', 'https://license.example.com'],
    ["Owner's email", 'Acme Soft'],
    ['is not a valid email address', '\x15ann@x.test'],
    ['Generate a password', 'n'],
    ["Owner's password", 'short'],
    ['must have 8 to 128 characters', '\x15correct horse'],
    ['Again', 'correct house'],
    ['The two entries differ', 'correct horse'],
    ['Again', 'correct horse'],
    ['Set up two-factor', ''],
    ['Create a first license product?', 'n'],
    ['Fill the shop', 'n'],
    ['Apply?', 'y'],
  ]);
  expect({ code, leaked: screen.includes('correct horse') }).toEqual({ code: 0, leaked: false });
  expect(screen).toContain('Next: appctl serve');
  expect(screen).toMatch(
    /Shop +https:\/\/license.example.com\/shop\/ +fill it and open it in its panel: https:\/\/license.example.com\/store\//,
  );
  expect(screen).toContain('Next: appctl setup --sample-data');
  expect(readFileSync(join(cwd, 'data/appctl.toml'), 'utf8')).toMatch(/^base_url = "https:\/\/license/m);
  const again = await runCli(['setup', '--json'], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ owner: { email: 'ann@x.test' }, product: null });
  // What the installation is made of is not asked again.
  const asked = await answer([
    ['Create a first license product?', 'n'],
    ['Apply anyway?', 'n'],
  ]);
  expect(asked.screen).toContain(`Using the installation in ${join(cwd, 'data')}`);
  expect(asked.screen).toContain('Public address  https://license.example.com');
  expect(asked.screen).not.toContain('--base-url');
});

test('two-factor sign-in is set up by a code on the screen, and its recovery codes are shown once', async () => {
  const secretOn = (screen: string): string =>
    (/this key manually: ([A-Z2-7 ]+)/.exec(screen)?.[1] ?? '').replaceAll(' ', '');
  const { code, screen } = await answer([
    ['Data directory', ''],
    ['Database', ''],
    ['Public address', ''],
    ["Owner's email", 'ann@x.test'],
    ['Generate a password', 'y'],
    ['Set up two-factor', 'y'],
    ['Create a first license product?', 'n'],
    ['Fill the shop', 'n'],
    ['Apply?', 'y'],
    ['Code from the app', 'nonsense'],
    [['that code is wrong', 'Code from the app'], (screen) => totpCode(secretOn(screen), Date.now())],
  ]);
  expect(code).toBe(0);
  expect(screen).toContain('Two-factor      an authenticator app, in the last step');
  expect(screen).toContain('that code is wrong');
  expect(screen.match(/\u2588/g)?.length).toBeGreaterThan(50);
  expect(screen.match(/^ {2}[0-9A-Z]{4}(-[0-9A-Z]{4})+\r$/gm)).toHaveLength(10);
  const { stdout } = await runCli(['admin', 'user', 'show', 'ann@x.test', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ twoFactor: { enabled: true, recoveryCodesLeft: 10 } });
});
