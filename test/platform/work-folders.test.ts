// Folders of backups that several processes begin at the same time: none is taken for one that a dead process left.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';

const MODULE = join(import.meta.dirname, '../../src/platform/backup/work-folder.ts');
const [PROCESSES, EACH] = [4, 60];

const work = (dataDir: string): string => `
import { existsSync } from 'node:fs';
import { openWorkFolder } from ${JSON.stringify(MODULE)};
for (let i = 0; i < ${EACH}; i++) {
  const folder = await openWorkFolder(${JSON.stringify(dataDir)});
  if (!existsSync(folder.path)) throw new Error('it is gone');
  await folder.remove();
}
console.log('done');`;

it('are there for each who begins one', async () => {
  const dataDir = scratchFolder('appctl-work-folders-');
  const run = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', work(dataDir)], {
      cwd: import.meta.dirname,
    });
  try {
    const runs = await Promise.all(Array.from({ length: PROCESSES }, run));
    expect(runs.map(({ stdout }) => stdout.trim())).toEqual(runs.map(() => 'done'));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
