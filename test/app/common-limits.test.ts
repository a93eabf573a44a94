// The folder in memory in which processes of a server count limits: what earlier servers left goes, what others have stays.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logTo } from '#kernel/log.ts';
import { leadLimits, removeOldLimits } from '../../src/app/workers/common-limits.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const log = logTo({ write: () => undefined }, 'silent');
let dataDir: string;
let left: string;
const note = (): string => join(dataDir, 'run/limits-folders');
const noted = (): string[] => readFileSync(note(), 'utf8').trim().split('\n');
beforeEach(() => {
  dataDir = scratchFolder('appctl-common-limits-');
  mkdirSync(join(dataDir, 'run'));
  left = mkdtempSync(join(dataDir, 'run/appctl-limits-'));
  writeFileSync(note(), `${left}\n`);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a server that is alone removes what others have left, and notes its own', () => {
  const limits = leadLimits(dataDir, true, log);
  try {
    expect([existsSync(left), noted()]).toEqual([false, [limits.folder]]);
  } finally {
    limits.close();
  }
});

test('a server that follows another one leaves its folder until it leads', () => {
  const limits = leadLimits(dataDir, false, log);
  try {
    expect([existsSync(left), noted()]).toEqual([true, [left, limits.folder]]);
    removeOldLimits(dataDir, limits.folder, log);
    expect([existsSync(left), noted()]).toEqual([false, [limits.folder]]);
  } finally {
    limits.close();
  }
});

test('what somebody else noted is not removed', () => {
  const other = join(dataDir, 'precious');
  mkdirSync(other);
  symlinkSync(other, `${left}/link`);
  mkdirSync(join(other, 'sub'));
  writeFileSync(note(), [`${left}/link/sub`, `${left}x/../../precious`, other, `${left}-1`].join('\n'));
  removeOldLimits(dataDir, null, log);
  expect(existsSync(join(other, 'sub'))).toBe(true);
});
