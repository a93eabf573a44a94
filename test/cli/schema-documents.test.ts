// OpenAPI documents as the program prints them, without an installation (cli 3.1).
import { expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const cwd = scratchFolder('appctl-schema-');
const appctl = (args: string[]) => runInside(args, { cwd });

test.each([
  ['openapi-license', 'License API', '/api/v1/license/validate'],
  ['openapi-admin', 'Admin API', '/api/v1/admin/licenses'],
  ['openapi-store', 'Store API', '/api/store/webhooks'],
])('schema %s', async (name, title, path) => {
  const { code, stdout } = await appctl(['schema', name]);
  const document = JSON.parse(stdout) as { openapi: string; info: { title: string }; paths: object };
  expect([code, document.openapi, Object.hasOwn(document.paths, path)]).toEqual([0, '3.0.3', true]);
  expect(document.info.title.toLowerCase()).toContain(title.split(' ')[0]?.toLowerCase());
});

test('the names of the documents are listed beside the commands', async () => {
  const { stdout } = await appctl(['schema', '--json']);
  const { commands } = JSON.parse(stdout) as { commands: string[] };
  expect(commands.slice(-3)).toEqual(['openapi-license', 'openapi-admin', 'openapi-store']);
});
