// appctl logs: the file, the journal, the memory of the running server, and what is said where there is none.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogRecord } from '../../src/cli/logs/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf, program, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, startServer } from '../support/server-process.ts';

let cwd: string;
beforeAll(() => {
  cwd = scratchFolder('appctl-logs-');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const file = () => join(cwd, 'appctl.log');
const kept = () => ({ APPCTL_LOG_FILE: file() });
const logs = (args: string[], env: Record<string, string> = kept()) =>
  runInside(['logs', ...args], { cwd, env });

const record = (n: number, more: object = {}) =>
  JSON.stringify({
    level: 'info',
    time: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
    requestId: `req_${n}`,
    msg: `line ${n}`,
    ...more,
  });
const messages = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => LogRecord.parse(JSON.parse(line)).msg);

describe('of a file', () => {
  test('the newest lines, as far as blocks reach and beyond them, and those of the file before it', async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => record(n, { filler: 'ä'.repeat(40) }));
    writeFileSync(file(), `${lines.join('\n')}\n`);
    writeFileSync(`${file()}.1`, `${record(-1)}\n`);
    expect(messages((await logs(['--json'])).stdout)).toEqual(
      Array.from({ length: 100 }, (_, n) => `line ${4900 + n}`),
    );
    expect(messages((await logs(['-n', '2'])).stdout)).toEqual(['line 4998', 'line 4999']);
    const all = messages((await logs(['--lines', '9000'])).stdout);
    expect(all).toEqual(Array.from({ length: 5001 }, (_, n) => `line ${n - 1}`));
    const since = messages((await logs(['--since', '2026-01-01T01:23:18Z'])).stdout);
    expect(since).toEqual(['line 4998', 'line 4999']);
    rmSync(`${file()}.1`);
  });

  test('level, request, source and a regular expression narrow it', async () => {
    const lines = [
      record(1, { msg: 'request', status: 500, route: '/a' }),
      record(2, { level: 'error', job: 'retention', msg: 'a job failed' }),
      record(3, { level: 'warn', email: 'eml_1', msg: 'an email was not sent' }),
      record(4, { webhook: 'whk_1' }),
      record(5, { seq: 1, hash: 'x', msg: 'the audit log ends here' }),
      'a line of another program',
    ];
    writeFileSync(file(), lines.join('\n'));
    appendFileSync(file(), '\n');
    const found = async (...args: string[]) => messages((await logs([...args, '--json'])).stdout);
    expect(await found('--level', 'warn')).toEqual(['a job failed', 'an email was not sent']);
    expect(await found('--request', 'req_4')).toEqual(['line 4']);
    expect(await found('--grep', 'RETEN|whk_')).toEqual(['a job failed', 'line 4']);
    const sources = ['http', 'job', 'mail', 'webhook', 'audit', 'server'];
    expect(await Promise.all(sources.map((source) => found('--source', source)))).toEqual([
      ['request'],
      ['a job failed'],
      ['an email was not sent'],
      ['line 4'],
      ['the audit log ends here'],
      ['a line of another program'],
    ]);
    const fields = await logs(['--level', 'error', '--fields', 'msg']);
    expect(fields.stdout).toBe('{"msg":"a job failed"}\n');
    const nothing = await logs(['--grep', 'nowhere']);
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toContain(`no lines match in ${file()}`);
  });

  test('--follow sees what comes, also through logrotate', async () => {
    writeFileSync(file(), `${record(1)}\n${record(2)}\n`);
    const child = spawn(process.execPath, [program, 'logs', '--follow', '--lines', '1'], {
      cwd,
      env: { PATH: '/usr/bin:/bin', HOME: cwd, ...kept() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    const sees = (n: number) => eventually(() => seen.includes(`"line ${n}"`));
    try {
      await sees(2);
      appendFileSync(file(), record(3).slice(0, 30));
      appendFileSync(file(), `${record(3).slice(30)}\n`);
      await sees(3);
      renameSync(file(), `${file()}.1`);
      appendFileSync(`${file()}.1`, `${record(4)}\n`);
      await sees(4);
      writeFileSync(file(), `${record(5)}\n`);
      await sees(5);
      // The server still ends a line in the old one before it takes the new one.
      appendFileSync(`${file()}.1`, `${record(6)}\n`);
      await sees(6);
      // Emptied in its place, as copytruncate does, and shorter than it was.
      writeFileSync(file(), '{"level":"info","time":"2026-01-01T00:00:07.000Z","msg":"line 7"}\n');
      await sees(7);
      expect(messages(seen)).toEqual([2, 3, 4, 5, 6, 7].map((n) => `line ${n}`));
    } finally {
      child.kill();
      rmSync(`${file()}.1`, { force: true });
    }
  }, 60_000);
});

test('wrong values are refused, each with what is right', async () => {
  writeFileSync(file(), '');
  const cases = [
    ['--grep', '('],
    ['--level', 'loud'],
    ['--since', 'yesterdayish'],
    ['many'],
    ['5', '--lines', '5'],
    ['--csv'],
  ];
  for (const words of cases) {
    const refused = await logs(
      [...words, '--json'].filter((word) => words[0] !== '--csv' || word !== '--json'),
    );
    expect({ words, code: refused.code, stdout: refused.stdout }).toEqual({ words, code: 2, stdout: '' });
  }
});

test('where there is no log it says how to keep one', async () => {
  const none = await logs(['--json', '--data-dir', 'nothing'], {});
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 3, stdout: '' });
  expect(errorOf(none).hint).toContain('log.file');
  const missing = await logs(['--json'], { APPCTL_LOG_FILE: join(cwd, 'missing.log') });
  expect(errorOf(missing).message).toContain('missing.log does not exist');
});

test('without a file the memory of the running server is read, and followed', async () => {
  const server = await startServer([], { cwd });
  try {
    await fetch(`${server.url}/nothing-here`);
    const run = await eventually(async () => {
      const found = await runCli(['logs', '--source', 'http', '--json'], { cwd });
      return found.stdout === '' ? null : found;
    });
    expect(messages(run.stdout)).toEqual(['request']);
    expect(messages((await runCli(['logs', '--grep', 'listening'], { cwd })).stdout)).toContain('listening');
  } finally {
    await server.stop();
  }
}, 60_000);

test('whoever follows it goes on with the server after a restart', async () => {
  let server = await startServer([], { cwd });
  const child = spawn(process.execPath, [program, 'logs', '--follow', '--lines', '0', '--source', 'http'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
  });
  const sees = async (path: string) => {
    await fetch(`${server.url}${path}`);
    return eventually(() => seen.includes(path));
  };
  try {
    // Its first look is over when it shows what came after.
    await eventually(async () => {
      await fetch(`${server.url}/api/health`);
      return seen.includes('/api/health');
    });
    await server.stop();
    server = await startServer([], { cwd });
    await sees('/api/ready');
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill();
    await server.stop();
  }
}, 60_000);

test('a server of systemd is read from the journal', async () => {
  // The journal is another program's: a stand-in writes what journalctl --output json does.
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  mkdirSync(join(cwd, '.config/systemd/user'), { recursive: true });
  writeFileSync(join(cwd, '.config/systemd/user/appctl.service'), '# Written by appctl service install\n');
  const entry = (message: unknown, priority: string) =>
    JSON.stringify({
      __CURSOR: 's=1',
      __REALTIME_TIMESTAMP: '1767225600000000',
      PRIORITY: priority,
      MESSAGE: message,
    });
  writeFileSync(
    join(bin, 'entries'),
    `${entry([...Buffer.from('Started')], '4')}\n${entry(record(7), '6')}\n`,
  );
  writeFileSync(join(bin, 'journalctl'), '#!/bin/sh\necho "$@" > "$HOME/asked"\ncat "$HOME/bin/entries"\n');
  chmodSync(join(bin, 'journalctl'), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const run = await runCli(['logs', '--data-dir', 'other', '--json'], { cwd, env });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  expect(messages(run.stdout)).toEqual(['line 7', 'Started']);
  expect(run.stdout).toContain('"level":"warn","time":"2026-01-01T00:00:00.000Z"');
  // It leaves out the text of long lines otherwise.
  expect(readFileSync(join(cwd, 'asked'), 'utf8')).toContain(' --all ');
  writeFileSync(join(bin, 'journalctl'), '#!/bin/sh\necho "no such unit" >&2\nexit 1\n');
  const failed = await runCli(['logs', '--data-dir', 'other', '--json'], { cwd, env });
  expect(errorOf(failed).message).toBe('journalctl: no such unit');
});
