// The README's commands, run as they are written, in the order in which they stand, in a copy of the project.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const DOCUMENTED_PORT = 8480;

interface Block {
  kind: string;
  text: string;
}

const blocks: Block[] = [...readme.matchAll(/^```bash ?(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', text = '']) => ({
    kind,
    text,
  }),
);
const blocksOf = (kind: string): string[] =>
  blocks.filter((block) => block.kind === kind).map((block) => block.text);

let folder: string;
let server: ReturnType<typeof spawn>;
let port: number;

/** A copy on the same file system, so that node_modules costs links instead of bytes. */
function copyProject(): string {
  mkdirSync(join(root, 'build'), { recursive: true });
  const copy = mkdtempSync(join(root, 'build/readme-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  for (const file of files.filter((name) => !name.startsWith('test/'))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  // Not the cache of the test runner: its files come and go meanwhile.
  const packages = readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.vi'));
  const paths = packages.map((name) => join(root, 'node_modules', name));
  mkdirSync(join(copy, 'node_modules'));
  execFileSync('cp', ['-al', ...paths, join(copy, 'node_modules')]);
  return copy;
}

/** The documented port, or another one where somebody listens there already. */
function usablePort(): Promise<number> {
  const tryPort = (wanted: number) =>
    new Promise<number | null>((resolve) => {
      const probe = createServer()
        .once('error', () => resolve(null))
        .listen(wanted, '127.0.0.1', () => {
          const { port: got } = probe.address() as { port: number };
          probe.close(() => resolve(got));
        });
    });
  return tryPort(DOCUMENTED_PORT).then(async (free) => free ?? ((await tryPort(0)) as number));
}

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  ...(port !== DOCUMENTED_PORT && { APPCTL_LISTEN: String(port) }),
});

const onPort = (text: string): string => text.replaceAll(`:${DOCUMENTED_PORT}`, `:${port}`);

function startServer(): Promise<string> {
  server = spawn('bash', ['-c', blocksOf('server').join('\n')], {
    cwd: folder,
    env: environment(),
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/^Next .*license mint/m.test(output)) resolve(output);
    });
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

function runScript(script: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euxo', 'pipefail', '-c', script], { cwd: folder, env: environment() });
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}

beforeAll(async () => {
  folder = copyProject();
  port = await usablePort();
}, 120_000);

afterAll(async () => {
  if (server?.pid && server.exitCode === null) {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    process.kill(-server.pid, 'SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

test('installing and testing are what the machine of a newcomer, and CI, run', () => {
  const ci = readFileSync(join(root, '.ci/run'), 'utf8');
  expect(blocksOf('install')).toEqual(['npm ci\n']);
  expect(blocksOf('tests')).toEqual(['npm ci && npm test\n']);
  expect(ci).toContain('npm ci && npm test');
});

test('the server says where it listens and what comes next', async () => {
  const output = await startServer();
  expect(output).toMatch(/^Database {3}sqlite:.*data\/appctl\.db$/m);
  expect(output).toContain(`Listening  http://127.0.0.1:${port}`);
  expect(output).toMatch(/^Next {7}appctl setup/m);
}, 60_000);

test('every command of the README works as it is written', async () => {
  const script = onPort(blocksOf('').join('\n'));
  const { code, output } = await runScript(script);
  expect(code, output.slice(-4000)).toBe(0);
  expect(output).toContain('License activated');
}, 180_000);
