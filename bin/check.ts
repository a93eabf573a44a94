// npm run check: both type checks and the linter at once. Each remembers what it has seen, so that a warm run takes
// seconds: the compiler by its build info, the linter by the time of the last run that found nothing.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/check');
const stamp = join(cache, 'linted');
/** A change of these may change what the linter says of every file. */
const RULES = ['test/biome.json', 'package.json', 'package-lock.json'];
/** A command line is bounded; so many files are looked at faster all together. */
const MOST_NAMED = 400;

mkdirSync(cache, { recursive: true });
const begun = new Date();
const results = await Promise.all([
  run('tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', join(cache, 'program.tsbuildinfo')),
  run(
    ...['tsc', '-p', 'src/client', '--noEmit', '--incremental'],
    ...['--tsBuildInfoFile', join(cache, 'client.tsbuildinfo')],
  ),
  lint(),
]);
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

async function lint(): Promise<number> {
  const files = filesToLint();
  if (files.length === 0) return 0;
  const code = await run(
    ...['biome', 'check', '--error-on-warnings', '--no-errors-on-unmatched', '--config-path=test/biome.json'],
    ...files,
  );
  if (code === 0) {
    writeFileSync(stamp, '');
    // What changes while the linter reads is looked at again.
    utimesSync(stamp, begun, begun);
  }
  return code;
}

/** Files that changed since the linter found nothing; all of them without such a time. */
function filesToLint(): string[] {
  const since = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const changedAt = (file: string): number => statSync(join(root, file)).mtimeMs;
  if (since === 0 || RULES.some((file) => changedAt(file) > since)) return ['.'];
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  const changed = files.filter((file) => changedAt(file) > since);
  return changed.length > MOST_NAMED ? ['.'] : changed;
}

/** Runs a program of node_modules/.bin and resolves to its exit code. */
function run(...[program = '', ...args]: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'node_modules/.bin', program), args, { cwd: root, stdio: 'inherit' });
    child.on('error', reject).on('exit', (code) => resolve(code ?? 1));
  });
}
