// One license that always fails stops no job: the others are handled, and the outcome names the one that is left.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { licensingCapabilities } from '#licensing/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { breakLicense } from '../support/broken-license.ts';
import { nothing } from '../support/database-changes.ts';

const DAY = 86_400;
let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const jobs = licensingCapabilities.flatMap((one) => one.jobs ?? []);
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();

/** Runs a job as the server does; what it answers, and the events that it caused. */
async function run(name: string) {
  const scheduler = createScheduler(jobs, 'test');
  const { result, changes } = await app.changesBy(() => scheduler.run(app.ctx, name, false));
  return { status: result.status, result: result.result, error: result.error, events: changes.events };
}

it('license-expiry: the oldest is damaged, all others expire; mended, it expires as well', async () => {
  const broken = await app.license({ validUntil: inDays(1) });
  const others = [await app.license({ validUntil: inDays(2) }), await app.license({ validUntil: inDays(2) })];
  app.clock.advance(2 * DAY);
  const mend = await breakLicense(app.instance.database, 'UPDATE', broken.id);
  const left = {
    status: 'failed',
    error: expect.stringMatching(`license ${broken.id}: .*damaged; all others were handled$`),
  };
  expect(await run('license-expiry')).toEqual({
    ...left,
    result: { expired: 2, announced: 2, failed: 1 },
    events: others.map(() => 'LICENSE_EXPIRED'),
  });
  const again = { ...left, result: { expired: 0, announced: 0, failed: 1 }, events: nothing.events };
  expect(await run('license-expiry')).toEqual(again);
  await mend();
  expect(await run('license-expiry')).toMatchObject({ status: 'ok', result: { expired: 1, announced: 1 } });
});

it('trash-purge: the oldest is damaged, all others are deleted; mended, it is deleted as well', async () => {
  const [broken, other] = [await app.license(), await app.license()];
  for (const { id } of [broken, other]) {
    await licenses.trash(app.ctx, id, null);
    app.clock.advance(1);
  }
  app.clock.advance(30 * DAY);
  const mend = await breakLicense(app.instance.database, 'DELETE', broken.id);
  expect(await run('trash-purge')).toEqual({
    status: 'failed',
    error: expect.stringContaining(`license ${broken.id}: `),
    result: { purged: 1, failed: 1 },
    events: ['LICENSE_PURGED'],
  });
  await mend();
  expect(await run('trash-purge')).toMatchObject({ status: 'ok', result: { purged: 1 } });
});
