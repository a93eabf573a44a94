// Commands that are printed begin with what leads to the program where they are printed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placing } from '../../src/cli/frame/placed.ts';
import { programName } from '../../src/cli/frame/program.ts';
import { runCli, sourceProgram } from '../support/cli-process.ts';
import { commandFolder } from '../support/command-folder.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let bin: string;
let project: string;
beforeAll(() => {
  folder = scratchFolder('appctl-name-');
  bin = commandFolder(folder);
  project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(project, 'node_modules/.bin/appctl'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = '/opt/appctl/bin/appctl.js';

test('the executable is named as it was called', () => {
  const name = (typed: string) =>
    programName({ PATH: '/usr/bin' }, { typed, isExecutable: true, script: null }, folder);
  expect([name('appctl'), name('./build/appctl'), name('/opt/my tools/appctl')]).toEqual([
    'appctl',
    './build/appctl',
    "'/opt/my tools/appctl'",
  ]);
});

test('the sources are named by what a shell finds, by npx, or by their file', () => {
  const name = (env: Record<string, string>, cwd: string) =>
    programName(env, { typed: 'node', isExecutable: false, script }, cwd);
  expect(name({ PATH: `/usr/bin:${bin}` }, folder)).toBe('appctl');
  expect(name({ PATH: '/usr/bin' }, project)).toBe('npx appctl');
  expect(name({ PATH: '/usr/bin' }, folder)).toBe(`node ${script}`);
  expect(name({ PATH: '/usr/bin' }, '/opt/appctl')).toBe('node bin/appctl.js');
  // npm puts the folder on PATH for its own children only.
  const local = join(project, 'node_modules/.bin');
  expect(name({ PATH: local }, project)).toBe('appctl');
  expect(name({ PATH: local, npm_command: 'run-script' }, project)).toBe('npx appctl');
});

test('every command in a text is named so, also by its hint', async () => {
  const placed = placing(new Map([['data-dir', 'd']]), () => 'npx appctl');
  expect(placed('run appctl status; or appctl --map; of appctl 2; ssh HOST appctl status')).toBe(
    'run npx appctl --data-dir d status; or npx appctl --map; of appctl 2; ssh HOST appctl status',
  );
  const run = await runCli(['licence', 'list'], { cwd: project, script: sourceProgram });
  expect(run.stderr).toContain('hint: did you mean npx appctl license?');
});
