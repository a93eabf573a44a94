// The README's commands, run as they are written, in the order in which they stand, in a copy of the project.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, DOCUMENTED_PORT, freePort, runScript } from '../support/command-blocks.ts';
import { copyProject } from '../support/project-copy.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let folder: string;
let server: ReturnType<typeof spawn>;
let port: number;

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  ...(port !== DOCUMENTED_PORT && { APPCTL_LISTEN: String(port) }),
});

function startServer(): Promise<string> {
  server = spawn('bash', ['-c', blocksOf(readme, 'server').join('\n')], {
    cwd: folder,
    env: environment(),
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/license\/validate$/m.test(output)) resolve(output);
    });
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

beforeAll(async () => {
  folder = copyProject();
  port = await freePort(DOCUMENTED_PORT);
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
  expect(blocksOf(readme, 'install')).toEqual(['npm ci\n']);
  expect(blocksOf(readme, 'tests')).toEqual(['npm ci && npm test\n']);
  expect(ci).toContain('npm ci && npm test');
});

test('the server says where it listens and what comes next', async () => {
  const output = await startServer();
  expect(output).toMatch(/^Database {3}sqlite:.*data\/appctl\.db$/m);
  expect(output).toContain(`Listening  http://127.0.0.1:${port}`);
  expect(output).toMatch(/^ {2}(?:npx )?appctl setup$/m);
}, 60_000);

test('every command of the README works as it is written', async () => {
  const script = blocksOf(readme).join('\n').replaceAll(`:${DOCUMENTED_PORT}`, `:${port}`);
  const { code, output } = await runScript(script, { cwd: folder, env: environment() });
  expect(code, output.slice(-4000)).toBe(0);
  expect(output).toContain('License activated');
}, 120_000);
