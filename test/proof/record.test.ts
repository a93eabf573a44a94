// What `--continue` takes over from an earlier run, and what it refuses.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';
import { readOptions } from './options.ts';
import type { Line, Proof } from './parts/proof.ts';
import { RunRecord, readRecord, type Terms } from './record.ts';

const folder = scratchFolder('appctl-record-');
afterAll(() => rmSync(folder, { recursive: true }));

const terms: Terms = { sha256: 'a1', rng: 7, quick: true, megabytes: null };
const nothing = async () => ({ figures: {}, passed: true, notes: [] });
const proof: Proof = {
  id: 'R02',
  databases: ['sqlite', 'postgres'],
  requireTools: () => undefined,
  faults: { late: nothing },
  run: nothing,
};
const line = (fault: string | null, verdict: string, more: Partial<Line> = {}): Line => ({
  ...{ id: 'R02', database: 'sqlite', fault, verdict, figures: {}, passed: true, notes: [], seconds: 1 },
  ...more,
});

it.each([
  ['all that is found and passed', [line('late', 'FOUND'), line(null, 'PASS')], true],
  ['a fault that was not found', [line('late', 'VOID'), line(null, 'PASS')], false],
  ['a fault that is new', [line('early', 'FOUND'), line(null, 'PASS')], false],
  ['a run that failed', [line('late', 'FOUND'), line(null, 'FAIL')], false],
  ['a run that is not there', [line('late', 'FOUND')], false],
  ['another proof', [line('late', 'FOUND'), line(null, 'PASS', { id: 'R03' })], false],
  ['the other database', [line('late', 'FOUND'), line(null, 'PASS', { database: 'postgres' })], false],
])('takes a pair as proved by its lines: %s', (_, lines, has) => {
  expect(new RunRecord(undefined, terms, lines).has(proof, 'sqlite')).toBe(has);
});

it('keeps lines in the file at once, those of a pair that ran again once', () => {
  const file = join(folder, 'again.json');
  const record = new RunRecord(file, terms);
  const [other, failed, passed] = [line(null, 'PASS', { id: 'R03' }), line(null, 'FAIL'), line(null, 'PASS')];
  record.add([failed]);
  record.add([other]);
  expect(readRecord(file, terms).lines).toEqual([failed, other]);
  readRecord(file, { ...terms, rng: undefined }).add([passed]);
  const found = readRecord(file, terms);
  expect([found.lines, found.terms, existsSync(`${file}.new`)]).toEqual([[other, passed], terms, false]);
});

it.each([
  ['another executable', { sha256: 'b2' }, /another executable; name that one with --exe/],
  ['whole counts', { quick: false }, /begun with --quick; add it/],
  ['another size', { megabytes: 64 }, /begun without --megabytes; leave it out/],
  ['another chance', { rng: 8 }, /begun with --rng 7; say so, or leave it out/],
])('refuses lines of %s', (_, more, message) => {
  const file = join(folder, 'other.json');
  new RunRecord(file, terms);
  expect(() => readRecord(file, { ...terms, ...more })).toThrow(message);
});

it.each([
  ['is not there', undefined, /it does not exist; leave out --continue/],
  ['is no JSON', 'R02 sqlite PASS', /no run has written it/],
  ['is about something else', '{"lines":[]}', /no run has written it/],
  ['has lines of another kind', JSON.stringify({ ...terms, lines: [{ id: 2 }] }), /no run has written it/],
])('refuses a file that %s', (name, text, message) => {
  const file = join(folder, `${name}.json`);
  if (text !== undefined) writeFileSync(file, text);
  expect(() => readRecord(file, terms)).toThrow(message);
});

it('reads --continue with the file that it goes on with', () => {
  const words = ['R02', '--json', 'found.json', '--continue'];
  expect(readOptions(words, ['R02'])).toMatchObject({ json: 'found.json', continues: true, rng: undefined });
  expect(() => readOptions(['--continue'], ['R02'])).toThrow('name it with --json');
  expect(() => readOptions(['--rng', '-1'], ['R02'])).toThrow();
  expect(() => readOptions(['--rng=-1'], ['R02'])).toThrow('--rng takes a whole number below 2^32');
  expect(() => readOptions(['--megabytes', '0'], ['R02'])).toThrow('--megabytes takes a whole number from 1');
});
