// Questions of support that have no license in common: a failed request, a time that is none.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

test('license why does not call a request allowed that failed after its decision', async () => {
  const instance = await it.open();
  const { ctx } = instance;
  const id = ctx.newId('req');
  await ctx.tx((ctx) =>
    ctx.db.knex('license_requests').insert({
      id,
      at: ctx.now(),
      method: 'POST',
      route: '/api/v1/license/activate',
      status: 500,
      code: 'SERVER_ERROR',
      ip: '127.0.0.1',
      ms: 1,
      facts: JSON.stringify({ action: 'activate', code: 'VALID' }),
      trace: '[]',
    }),
  );
  await instance.close();
  const { stdout } = await it.inside(['license', 'why', id]);
  expect(stdout).toContain('activate: every rule that was checked was met. The server failed;');
  expect(stdout).not.toContain('allowed');
});

test.each([[['events', 'tail']], [['requests', 'list']], [['license', 'seats', '--denied']]])(
  '%j takes no --since that leads to before 1970',
  async (words) => {
    const run = await it.inside([...words, '--since', '999999999w', '--json']);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(errorOf(run).message).toBe("--since '999999999w' is not a valid time");
  },
);
