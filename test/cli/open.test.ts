// `appctl open`: the address of a page of the running server, and the browser that gets it.
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const cwd = scratchFolder('appctl-open-');
const browser = join(cwd, 'browser');
const visited = join(cwd, 'visited');
let server: ServerProcess;

beforeAll(async () => {
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${visited}.new\nmv ${visited}.new ${visited}\n`);
  chmodSync(browser, 0o755);
  server = await startServer([], { cwd });
});
afterAll(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true, force: true });
});

const open = (...args: string[]) => runInside(['open', ...args], { cwd, env: { BROWSER: browser } });

/** What the browser was given; it starts beside the command. */
async function visitedAddress(): Promise<string> {
  await expect.poll(() => existsSync(visited), { timeout: 20_000 }).toBe(true);
  const address = readFileSync(visited, 'utf8');
  rmSync(visited);
  return address;
}

test('while nobody is the owner, the browser gets the link that makes one, which works', async () => {
  expect(await open()).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/admin\/setup\?token=/) });
  const file = await visitedAddress();
  // The words of a command are seen by every user of the machine, the token is not for them.
  expect(file).toBe(join(cwd, 'data/run/open.html'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const address = /content="0;url=([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  expect(address).toContain(`${server.url}/admin/setup?token=`);
  const taken = await fetch(address, { redirect: 'manual' });
  const cookie = taken.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const there = new URL(taken.headers.get('Location') ?? '', address);
  const page = await fetch(there, { headers: { Cookie: cookie.join('; ') } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('name="password"')]);
});

test('afterwards it gets the panel, and the setup is refused with what to do', async () => {
  const owner = ['setup', '--owner-email', 'ann@x.test', '--generate-password', '--no-input'];
  expect((await runInside(owner, { cwd })).code).toBe(0);
  expect((await open()).stdout).toBe(`${server.url}/admin/\n`);
  expect(await visitedAddress()).toBe(`${server.url}/admin/`);
  const run = await open('setup', '--json');
  expect([run.code, errorOf(run)]).toEqual([5, expect.objectContaining({ hint: 'appctl open admin' })]);
});

test.each([
  ['home', '/'],
  ['admin', '/admin/'],
  ['shop', '/shop/'],
  ['store', '/store/'],
  ['help', '/help'],
])('%s is a page that the server has', async (page, path) => {
  const { code, stdout } = await open(page, '--print');
  expect([code, stdout]).toEqual([0, `${server.url}${path}\n`]);
  expect((await fetch(stdout.trim())).status).toBe(200);
});

test('the API docs are refused in production with what shows them', async () => {
  const run = await open('docs', '--json');
  expect([run.code, errorOf(run)]).toEqual([5, expect.objectContaining({ hint: 'appctl serve --dev' })]);
});

test('--print and --json start no browser', async () => {
  await open('admin', '--print');
  const { stdout } = await open('admin', '--json');
  expect(JSON.parse(stdout)).toEqual({ url: `${server.url}/admin/`, opened: false });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(visited)).toBe(false);
});

test.each([
  ['--new-window', '--new-window'],
  ['--url=%s', '--url=URL'],
])('BROWSER may have arguments: %s', async (argument, first) => {
  const env = { BROWSER: `${browser} ${argument}` };
  expect((await runInside(['open', 'help'], { cwd, env })).code).toBe(0);
  expect(await visitedAddress()).toBe(first.replace('URL', `${server.url}/help`));
});

test('where no browser can be started, the address is printed and the person is told', async () => {
  const env = { BROWSER: join(cwd, 'no-such-browser') };
  const { code, stdout, stderr } = await runInside(['open', 'admin'], { cwd, env });
  expect([code, stdout]).toEqual([0, `${server.url}/admin/\n`]);
  expect(stderr).toMatch(/no browser/i);
});

test('a page that there is not is refused with those that there are, and no server is 9 with the way to start one', async () => {
  const unknown = await open('shopp', '--json');
  expect([unknown.code, errorOf(unknown).message]).toEqual([2, expect.stringContaining('store')]);
  const none = await runInside(['open', '--json', '--data-dir', join(cwd, 'elsewhere')], { cwd });
  expect([none.code, errorOf(none).hint]).toEqual([9, expect.stringMatching(/appctl .*serve$/)]);
});
