// A capability is its folder, its commands and the lines that list them: without them the program still compiles.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchFolder } from './support/scratch-folder.ts';

const root = join(import.meta.dirname, '..');
const scratch = scratchFolder('appctl-removal-');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Takes out of a file the line that imports from a folder, and the lines that list what came from there. */
function unlist(file: string, folder: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const imports = lines.filter((line) => /\bimport\b/.test(line) && line.includes(`/${folder}/`));
  expect(imports).toHaveLength(1);
  const names = imports.flatMap((line) => /^import \{(.*)\}/.exec(line)?.[1]?.split(',') ?? []);
  const listed = names.flatMap((name) => [`  ${name.trim()},`, `  ...${name.trim()},`]);
  const kept = lines.filter((line) => !imports.includes(line) && !listed.includes(line));
  expect(lines.length - kept.length).toBe(names.length + 1);
  writeFileSync(file, kept.join('\n'));
}

interface Removed {
  wing: string;
  name: string;
  commands: string | null;
}

const capabilities: readonly Removed[] = [
  { wing: 'insight', name: 'honeypots', commands: 'honeypot' },
  { wing: 'insight', name: 'abuse', commands: 'abuse' },
  { wing: 'licenses', name: 'seats', commands: null },
  { wing: 'insight', name: 'simulator', commands: 'simulate' },
];

/** Several checkers at once would each look at the same libraries, beside other tests. */
const CHEAPLY = ['--checkers', '1'];

const whole = join(scratch, 'whole');

/**
 * The whole program with what the compiler notes of it: in a copy it then checks only what a removal touches, a tenth of
 * the work.
 */
beforeAll(async () => {
  for (const part of ['src', 'migrations', 'package.json'])
    cpSync(join(root, part), join(whole, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(whole, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const own = { ...compilerOptions, incremental: true, tsBuildInfoFile: 'notes.tsbuildinfo' };
  writeFileSync(
    join(whole, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: own, include: ['src', 'migrations'] }),
  );
  expect(await compiled(whole)).toBe('');
}, 120_000);

/** A copy of the program without one capability; what the compiler says of it. */
async function compiledWithout({ wing, name, commands }: Removed): Promise<string> {
  const folder = join(scratch, name);
  cpSync(whole, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(join(folder, 'src/licensing', wing, name), { recursive: true });
  unlist(join(folder, 'src/licensing/index.ts'), name);
  const local = join(folder, 'src/licensing/local.ts');
  if (readFileSync(local, 'utf8').includes(`/${name}/`)) unlist(local, name);
  if (commands !== null) {
    rmSync(join(folder, 'src/cli', commands), { recursive: true });
    unlist(join(folder, 'src/cli/index.ts'), commands);
  }
  return compiled(folder);
}

/** What the compiler says of a project. */
async function compiled(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', folder, ...CHEAPLY]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test.for(capabilities)('without $name the program compiles', { timeout: 120_000 }, async (capability) => {
  expect(await compiledWithout(capability)).toBe('');
});

test('one that others need is missed', { timeout: 120_000 }, async () => {
  const needed = { wing: 'insight', name: 'statistics', commands: null };
  expect(await compiledWithout(needed)).toContain("Cannot find module '../statistics/index.ts'");
});
