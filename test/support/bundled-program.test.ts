// The tests start the program as a bundle: never one of sources that have changed since.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundledProgram, sourcesHash } from './bundled-program.ts';
import { runCli } from './cli-process.ts';
import { scratchFolder } from './scratch-folder.ts';

const copy = scratchFolder('appctl-sources-');
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('whatever changes in a source gives the bundle another name', () => {
  mkdirSync(join(copy, 'src/cli'), { recursive: true });
  const [file, other] = [join(copy, 'src/cli/one.ts'), join(copy, 'src/cli/two.ts')];
  const seen = [sourcesHash(copy)];
  const see = (change: () => void) => {
    change();
    seen.push(sourcesHash(copy));
  };
  see(() => writeFileSync(file, 'export const a = 1;'));
  see(() => writeFileSync(file, 'export const a = 2;'));
  see(() => renameSync(file, other));
  see(() => writeFileSync(join(copy, 'package-lock.json'), '{}'));
  expect(new Set(seen).size).toBe(5);
  rmSync(other);
  rmSync(join(copy, 'package-lock.json'));
  expect(sourcesHash(copy)).toBe(seen[0]);
});

test('the same sources are bundled once, and what starts is the program', async () => {
  const script = await bundledProgram();
  expect(await bundledProgram()).toBe(script);
  const { code, stdout, stderr } = await runCli(['version', '--json'], { script });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ version: '0.1.0' });
});
