// Who asks for the status while something is wrong does not wait: a short command, beside a server that knows it all.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, sourceProgram } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

test('appctl status loads at most 75 files of the program beside a running server', async () => {
  const cwd = scratchFolder('appctl-status-');
  const server = await startServer([], { cwd });
  try {
    const counted = join(cwd, 'modules');
    const preload = join(import.meta.dirname, '../support/count-modules.ts');
    const env = { NODE_OPTIONS: `--import ${preload}`, APPCTL_MODULES: counted };
    const run = await runCli(['status'], { cwd, env, script: sourceProgram });
    const files = Number(readFileSync(counted, 'utf8'));
    expect([run.code, run.stdout.includes('running for'), files > 40, files <= 75]).toEqual([
      0,
      true,
      true,
      true,
    ]);
  } finally {
    await server.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
}, 60_000);
