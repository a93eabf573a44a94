// A session at a desk: the server is another machine, reached by TLS under a certificate of a private authority. The
// manual shows it as it was printed.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { readPage } from '#platform/help/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { runCli } from '../support/cli-process.ts';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { lastLines } from '../support/screen.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { totpCode } from '../support/totp.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

/** Not the address that a command takes for its own machine. */
const ELSEWHERE = '127.0.0.2';
const PASSWORD = 'five grey geese over Oslo';

let office: Installation;
let server: ServerProcess;
let desk: string;
let url: string;
let secret: string;
beforeAll(async () => {
  office = await prepareInstallation();
  desk = scratchFolder('appctl-desk-');
  const { key, cert } = makeCertificate([`IP:${ELSEWHERE}`]);
  writeFileSync(join(office.cwd, 'key.pem'), key, { mode: 0o600 });
  writeFileSync(join(office.cwd, 'cert.pem'), cert);
  writeFileSync(join(desk, 'ca.pem'), cert);
  await office.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const { ctx, close } = await office.open();
  const who = { email: 'ann@example.com', password: PASSWORD, roles: ['licensing'] };
  const { id } = await accounts.create(ctx, who);
  ({ secret } = await accounts.setupTwoFactor(ctx, id));
  // A code counts once: the one of half a minute ago confirms, the next one signs in.
  await accounts.confirmTwoFactor(ctx, id, totpCode(secret, Date.now() - 30_000));
  await close();
  const env = { APPCTL_DATA_DIR: join(office.cwd, 'data') };
  await office.inside([
    'admin',
    'token',
    'create',
    '--name',
    'ci',
    '--role',
    'licensing',
    '--out',
    'admin.token',
  ]);
  writeFileSync(join(desk, 'admin.token'), readFileSync(join(office.cwd, 'admin.token')), { mode: 0o600 });
  const words = ['--listen', `${ELSEWHERE}:0`, '--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
  server = await startServer(words, { cwd: office.cwd, env });
  url = server.url;
}, 60_000);
afterAll(async () => {
  await server?.stop();
  office.remove();
  rmSync(desk, { recursive: true, force: true });
});

const at = (line: string, env: Record<string, string> = {}) => runCli(line.split(' '), { cwd: desk, env });

/** A session as text: each line that was typed, and what stood on the screen at its end. */
async function recorded(
  lines: readonly (readonly [line: string, answers?: readonly (readonly [string, string])[]])[],
): Promise<string> {
  const session: string[] = [];
  for (const [line, answers = []] of lines) {
    const done = await runAtTerminal(line.split(' '), { cwd: desk, answers });
    expect([line, done.code, done.screen]).toEqual([line, 0, expect.not.stringContaining(PASSWORD)]);
    session.push(`$ appctl ${line}`, ...lastLines(done.screen), '');
  }
  return masked(session.join('\n').trimEnd());
}

/** What differs from one session to the next, as the manual shows it. */
function masked(text: string): string {
  return text
    .replaceAll(url, 'https://licenses.example.com')
    .replaceAll(`${userInfo().username}@${hostname()}`, 'ann@laptop')
    .replace(/\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1_01J9ZK3T5W8Y2QF4M6N7P0R1SV')
    .replace(/\bAPP(?:-[0-9A-Z]{4})+/g, 'APP-7F3K-9Q2M-4T8X-1B6Z')
    .replace(/\b\d{6}\b/g, '123456')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(?: \S+)? \([^)]*\)/g, (time) =>
      time.includes('in ') ? '2026-12-23 09:30 UTC (in 30 days)' : '2026-11-23 09:30 UTC (now)',
    );
}

test('who signs in at a terminal works on the server, by TLS, until the login ends', async () => {
  const unknown = await at(`login ${url} --email ann@example.com --password-file ca.pem`);
  expect([unknown.code, unknown.stderr]).toEqual([9, expect.stringMatching(/certificate/)]);
  const session = await recorded([
    [
      `login ${url} --profile main --ca-file ca.pem`,
      [
        ['mail address', 'ann@example.com'],
        ['Password', PASSWORD],
        ['authenticator app', totpCode(secret, Date.now())],
      ],
    ],
    ['license mint --product editor --email customer@example.com --perpetual --profile main'],
    ['whoami --profile main'],
    ['logout --profile main'],
  ]);
  const { items } = await office.answer<{ items: object[] }>(['license', 'list']);
  expect(items).toMatchObject([{ customerEmail: 'customer@example.com' }]);
  expect((await at('license list --profile main')).code).toBe(2);
  expect(readPage('work-from-your-desk')).toContain(`\`\`\`text\n${session}\n\`\`\``);
}, 60_000);
