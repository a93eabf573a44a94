// Several processes that append to one log: all see the same entries in the same order, each entry once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommonLog, LogLost } from '#kernel/common-log.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = join(scratchFolder('appctl-common-'), 'log');
  mkdirSync(folder, { mode: 0o700 });
  children = [];
});
afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

interface Applied {
  readonly count: number;
  readonly sum: string;
}

async function startProcess(name: string, leads = '') {
  const script = join(import.meta.dirname, '../support/common-log-process.ts');
  const child = spawn(process.execPath, [script, folder, name, leads], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value));
  await answer();
  const ask = <T>(order: string, count = 0): Promise<T> => {
    child.stdin.write(`${JSON.stringify([order, count])}\n`);
    return answer();
  };
  return {
    child,
    add: (count: number) => ask<number[]>('add', count),
    sum: () => ask<Applied>('sum'),
    file: () => ask<number>('file'),
    async end() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

const [EACH, OTHERS] = [1500, ['b', 'c']];

test('each process applies every entry once, in one order, over many files', async () => {
  const lead = await startProcess('a', 'leads');
  const all = [lead, ...(await Promise.all(OTHERS.map((name) => startProcess(name))))];
  const places = (await Promise.all(all.map((one) => one.add(EACH)))).flat();
  // The length of what was applied up to the own entry: no two of them have one place.
  expect(new Set(places).size).toBe(3 * EACH);
  const sums = await Promise.all(all.map((one) => one.sum()));
  expect(sums[0]?.count).toBe(3 * EACH);
  expect(new Set(sums.map(({ sum }) => sum)).size).toBe(1);
  const file = await lead.file();
  expect(file).toBeGreaterThan(5);
  await lead.end();
  expect(existsSync(folder)).toBe(false);
}, 60_000);

test('one that is killed within an entry takes no entry of the others with it', async () => {
  const lead = await startProcess('a', 'leads');
  const [other, killed] = await Promise.all([startProcess('b'), startProcess('c')]);
  const adding = killed.add(1_000_000).catch(() => []);
  const both = Promise.all([lead.add(300), other.add(300)]);
  killed.child.kill('SIGKILL');
  const places = (await both).flat();
  // What a write that was cut leaves, where the next entry begins.
  appendFileSync(join(folder, String(await lead.file())), '[1,2,{"torn');
  places.push(...(await other.add(10)), ...(await lead.add(10)));
  expect(new Set(places).size).toBe(620);
  expect(await lead.sum()).toEqual(await other.sum());
  await Promise.race([adding, once(killed.child, 'close')]);
}, 60_000);

test('one that joins goes on where the state that it was given ends, and one that is too late says so', () => {
  const seen: string[] = [];
  const lead = new CommonLog<string>({ folder, file: 0, offset: 0 }, (entry) => seen.push(entry), {
    leads: true,
    longBytes: 100,
    keptMs: 0,
  });
  const joined = () => {
    const own = [...seen];
    return { own, log: new CommonLog<string>(lead.place(), (entry) => own.push(entry), { leads: false }) };
  };
  const addMany = (count: number) => {
    for (let i = 0; i < count; i++) lead.add(`lead ${i}`);
  };
  lead.add('first');
  const { own, log } = joined();
  expect(log.add('second')).toBe(2);
  lead.add('third');
  log.catchUp();
  expect(own).toEqual(['first', 'second', 'third']);
  const late = joined();
  addMany(40);
  expect(() => late.log.catchUp()).toThrow(LogLost);
  expect(readdirSync(folder)).toHaveLength(2);
  lead.close();
  expect(existsSync(folder)).toBe(false);
});

test('a folder that somebody has removed is made anew for whoever joins', () => {
  const seen: string[] = [];
  const lead = new CommonLog<string>({ folder, file: 0, offset: 0 }, (entry) => seen.push(entry), {
    leads: true,
  });
  const [own, late]: string[][] = [[], []];
  const other = new CommonLog<string>(lead.place(), (entry) => own?.push(entry), { leads: false });
  rmSync(folder, { recursive: true });
  lead.add('one');
  other.add('two');
  lead.catchUp();
  const third = new CommonLog<string>(lead.place(), (entry) => late?.push(entry), { leads: false });
  third.add('three');
  other.catchUp();
  lead.catchUp();
  expect([seen, own, late]).toEqual([['one', 'two', 'three'], ['one', 'two', 'three'], ['three']]);
  lead.close();
});
