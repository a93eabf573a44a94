// A question that is not answered ends the command: nothing is changed, and the exit code says so.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer('product create --name Editor --slug editor'.split(' '));
});
afterAll(() => it.remove());

test.each([
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C', '\u0003'],
])('%s at a confirmation ends with 130, and nothing is changed', async (_, key) => {
  const { id } = await it.answer<{ id: string }>(
    'license mint --product editor --email ann@x.test --perpetual'.split(' '),
  );
  const run = await runAtTerminal(['license', 'revoke', id, '--reason', 'test'], {
    cwd: it.cwd,
    env: { APPCTL_DATA_DIR: join(it.cwd, 'data') },
    answers: [['Continue?', key]],
  });
  expect(run.screen).toContain('error: interrupted');
  expect(run.code).toBe(130);
  expect(await it.answer(['license', 'show', id])).toMatchObject({ status: 'ACTIVE' });
});
