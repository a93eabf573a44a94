import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Has threads at work before it yields, and after; prints the names and priorities of all. */
const SCRIPT = `
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { yieldToOthers } from '#kernel/process-priority.ts';
const work = () => Promise.all(Array.from({ length: 8 }, () => stat('/')));
await work();
yieldToOthers(Number(process.argv[1]));
await work();
const found = readdirSync('/proc/self/task').map((id) => {
  const [, name, rest] = readFileSync('/proc/self/task/' + id + '/stat', 'utf8').match(/\\((.*)\\) (.*)/s);
  return [name, Number(rest.split(' ')[16])];
});
console.log(JSON.stringify(found));
`;

/** @returns name and priority of each thread */
function threadsAt(priority: number): [string, number][] {
  const words = ['--input-type=module', '--eval', SCRIPT, String(priority)];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test.runIf(process.platform === 'linux').each([10, 19])(
  'every thread of a process that yields has priority %i, those too that were at work before',
  (priority) => {
    const threads = threadsAt(priority);
    expect(threads.map(([name]) => name)).toContain('libuv-worker');
    expect(threads.filter(([, nice]) => nice !== priority)).toEqual([]);
  },
);
