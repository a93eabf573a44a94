// A secret that a command makes is shown once to who sits at a terminal, and to nobody else who did not ask for it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
const made: Record<string, string> = {};
beforeAll(async () => {
  it = await prepareInstallation();
  const id = async (line: string) => (await it.answer<{ id: string }>(line.split(' '))).id;
  await id('product create --name Editor --slug editor');
  made.key = await id('apikey create --service license --name first --scope READ_ONLY');
  made.hook = await id('webhook create --service license --url https://93.184.216.34/hook');
  made.shop = await id('integration create --processor generic --name shop');
  made.license = await id('license mint --product editor --email ann@x.test --perpetual');
});
afterAll(() => it.remove());

const named = (line: string) => line.replace(/\{(\w+)\}/g, (_, name: string) => made[name] ?? '').split(' ');
const atTerminal = (line: string) =>
  runAtTerminal(named(line), { cwd: it.cwd, env: { APPCTL_DATA_DIR: join(it.cwd, 'data') } });

const once = /shown once\. Store it now: it cannot be read again\./;
const again =
  /The license key is shown once; to show it again:\s+appctl license reveal lic_\w+ --reason TEXT/;

describe('at a terminal', () => {
  test.each([
    ['apikey create --service license --name desk --scope READ_ONLY', /^secret +alk_\S{40,}\s*$/m, once],
    ['apikey rotate {key}', /^secret +alk_\S{40,}\s*$/m, once],
    ['admin token create --name desk --role viewer', /^secret +\S{40,}\s*$/m, once],
    ['honeypot create --product editor --label bait', /^key +APP(-\w{4}){4}\s*$/m, once],
    ['webhook create --service license --url https://93.184.216.34/x', /^secret +\S{30,}\s*$/m, once],
    ['webhook rotate-secret {hook}', /^secret +\S{30,}\s*$/m, once],
    ['integration create --processor generic --name desk', /^secret +\S{30,}\s*$/m, once],
    ['integration update {shop} --generate-secret', /^secret +\S{30,}\s*$/m, once],
    ['license mint --product editor --email bob@x.test --perpetual', /^key +APP(-\w{4}){4}\s*$/m, again],
    ['license rekey {license} --reason lost --yes', /^key +APP(-\w{4}){4}\s*$/m, again],
  ])('%s shows what it made, and says that it is shown once', async (line, secret, words) => {
    const { code, screen } = await atTerminal(line);
    expect(code).toBe(0);
    expect(screen).toMatch(secret);
    expect(screen).toMatch(words);
    expect(screen).not.toContain('--reveal');
  });

  test('license mint --count shows each key', async () => {
    const { screen } = await atTerminal(
      'license mint --product editor --email cat@x.test --perpetual --count 2',
    );
    expect(screen.match(/APP(-[0-9A-Z]{4}){4}/g)).toHaveLength(2);
  });

  test('--out takes the secret away from the terminal, and a dry run makes none', async () => {
    const create = 'apikey create --service license --name desk --scope READ_ONLY';
    const kept = await atTerminal(`${create} --out desk.key`);
    expect(kept.screen).not.toMatch(/alk_\S{20}/);
    expect(readFileSync(join(it.cwd, 'desk.key'), 'utf8')).toMatch(/^alk_\S+\n$/);
    const plan = await atTerminal(`${create} --dry-run`);
    expect(plan.screen).not.toMatch(/alk_\S{20}|shown once/);
    expect(existsSync(join(it.cwd, 'data'))).toBe(true);
  });
});

test('the commands that setup proposes lead to a secret that is shown', async () => {
  const setup = await runAtTerminal(
    ['setup', '--no-input', '--owner-email', 'ann@x.test', '--generate-password', '--product', 'editor'],
    { cwd: it.cwd, env: { APPCTL_DATA_DIR: join(it.cwd, 'fresh') } },
  );
  expect(setup.screen).toMatch(/^Password +\S+ +shown once\s*$/m);
  const [, line = ''] =
    /Next: API_KEY=\$\((?:\S+ )?appctl (apikey create [^\r\n]+?) --reveal/.exec(setup.screen) ?? [];
  const shown = await runAtTerminal(line.trim().split(' '), {
    cwd: it.cwd,
    env: { APPCTL_DATA_DIR: join(it.cwd, 'fresh') },
  });
  expect({ code: shown.code, secret: /^secret +alk_\S{40,}\s*$/m.test(shown.screen) }).toEqual({
    code: 0,
    secret: true,
  });
});

test.each([
  'admin token create --name ci --role viewer',
  'apikey rotate {key}',
  'honeypot create --product editor --label pipe',
  'webhook create --service license --url https://93.184.216.34/pipe',
  'webhook rotate-secret {hook}',
  'integration create --processor generic --name pipe',
  'integration update {shop} --generate-secret',
])(
  'in a pipe %s is refused before it changes anything, with the flags that show the secret',
  async (line) => {
    const { code, stdout, stderr } = await it.inside(named(line));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/nothing was changed[\s\S]*--reveal, --json or --out FILE/);
  },
);
