// What a serving process does every second: nothing of it waits for a job.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Config } from '#kernel/config/config.ts';
import { requestLogDays } from '#licensing/contract/settings.ts';
import { createSettingsStore, set } from '#platform/settings/index.ts';
import { startBackground } from '../../src/app/background.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { heldJob, job } from '../support/jobs.ts';
import { eventually } from '../support/server-process.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const backup = { schedule: null } as Config['backup'];
const config = { jobs: { enabled: true, timeZone: 'UTC' }, backup };
const outbox = { rescue: async () => undefined };

/** Changes a setting as a command in another process does. */
async function changeElsewhere(value: number): Promise<void> {
  const settings = createSettingsStore(t.settings.declared, new Map(), t.ctx.keyring);
  await set(createContext({ ...t.runtime, settings }, t.ctx.tenantId), { key: requestLogDays.key, value });
}

it('a changed setting takes effect, and other jobs run, while a job takes long; the end waits for it', async () => {
  const long = heldJob('a-long');
  let short = 0;
  const jobs = [long.held, job('short', async () => ({ n: ++short }), { everySeconds: 1 })];
  const background = startBackground({ ...t, config }, { jobs, metrics: null, outbox });
  await eventually(() => long.runs() === 1 && short === 1);
  await changeElsewhere(7);
  await eventually(() => t.ctx.settings.get(requestLogDays) === 7);
  t.clock.advance(1);
  await eventually(() => short === 2);
  let isOver = false;
  const stopped = background.stop().then(() => {
    isOver = true;
  });
  expect([isOver, long.runs()]).toEqual([false, 1]);
  long.release();
  await stopped;
  expect((await background.scheduler.list(t.ctx)).map(({ lastStatus }) => lastStatus)).toEqual(['ok', 'ok']);
});
