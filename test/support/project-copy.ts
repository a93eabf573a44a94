// A copy of the project as a fresh clone has it, with its packages installed.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Copies the project without its tests; whoever asked removes the copy.
 * @returns its folder, on the same file system, so that node_modules costs links instead of bytes
 */
export function copyProject(): string {
  mkdirSync(join(root, 'build'), { recursive: true });
  const copy = mkdtempSync(join(root, 'build/copy-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((name) => name !== '' && !name.startsWith('test/'));
  for (const file of files) {
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
