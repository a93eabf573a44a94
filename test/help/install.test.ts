// The page builds the executable, so that it runs in a copy of the project.
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { readPage } from '#platform/help/index.ts';
import { blocksOf, runScript } from '../support/command-blocks.ts';
import { copyProject } from '../support/project-copy.ts';

const cwd = copyProject();
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('every command of the page install works as it is written', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const { code, output } = await runScript(blocksOf(readPage('install')).join('\n'), { cwd, env });
  expect(code, output.slice(-4000)).toBe(0);
  expect(output).toMatch(/^appctl \d/m);
}, 400_000);
