// Passwords are hashed in threads of their own: the same tags as Node's own function, and nothing that keeps a program.
import { spawnSync } from 'node:child_process';
import { argon2Sync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { argon2id } from '#kernel/argon2-thread.ts';

const small = {
  message: 'a',
  nonce: Buffer.alloc(16, 1),
  memory: 64,
  passes: 1,
  parallelism: 1,
  tagLength: 32,
};

it('makes the tags of argon2id, also several at the same time', async () => {
  const asked = Array.from({ length: 5 }, (_, n) => ({ ...small, message: `password ${n}`, passes: n + 1 }));
  const tags = await Promise.all(asked.map(argon2id));
  expect(tags).toEqual(asked.map((parameters) => argon2Sync('argon2id', parameters)));
});

it('refuses what argon2id refuses, and hashes on', async () => {
  await expect(argon2id({ ...small, memory: 1 })).rejects.toThrow('parameters.memory');
  expect(await argon2id(small)).toEqual(argon2Sync('argon2id', small));
});

it('goes behind whatever answers requests, where a thread can', async () => {
  await argon2id(small);
  expect(niceOfThreads().some((nice) => nice > 0)).toBe(platform() === 'linux');
});

/** Of all threads of this process; none where the system does not show them. */
function niceOfThreads(): number[] {
  if (platform() !== 'linux') return [];
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // proc(5): the name in brackets is field 2, the nice value field 19.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

it('lets a program end that has hashed, and not before', () => {
  const home = join(import.meta.dirname, '../../src/kernel/argon2-thread.ts');
  const program = `
    const { argon2id } = await import(${JSON.stringify(home)});
    argon2id({ message: 'a', nonce: Buffer.alloc(16), memory: 64, passes: 1, parallelism: 1, tagLength: 8 })
      .then((tag) => console.log(tag.length));`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect([done.status, done.stdout, done.stderr]).toEqual([0, '8\n', '']);
});
