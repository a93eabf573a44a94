// `jobs schedule`, and the tasks that imports leave behind.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let database: FreshDatabase;
let it: Installation;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

async function refused(args: readonly string[], code: number, message: string): Promise<void> {
  const run = await it.inside([...args, '--json']);
  expect({ code: run.code, message: errorOf(run).message }).toEqual({
    code,
    message: expect.stringContaining(message),
  });
}

interface Listed {
  items: { name: string; schedule: string; nextRunAt: string }[];
}
const listed = async () =>
  (await it.answer<Listed>(['jobs', 'list'])).items.find(({ name }) => name === 'retention');

test('a job gets a schedule in the configured zone, its next run is listed, and it goes back to its interval', async () => {
  const schedule = ['jobs', 'schedule', 'retention'];
  const made = await it.answer<Listed['items'][number]>([...schedule, '30 3 * * *']);
  expect(made).toMatchObject({ name: 'retention', schedule: '30 3 * * * (UTC)' });
  expect(made.nextRunAt).toMatch(/T03:30:00\.000Z$/);
  expect(await listed()).toMatchObject({ schedule: made.schedule, nextRunAt: made.nextRunAt });
  expect(await it.answer([...schedule, '--interval'])).toMatchObject({ schedule: 'every 3600 s' });
  expect(await listed()).toMatchObject({ schedule: 'every 3600 s' });
});

test('wrong schedules are refused with what is wrong', async () => {
  await refused(['jobs', 'schedule', 'retention', '30 25 * * *'], 2, 'hour must be 0 to 23, not 25');
  await refused(['jobs', 'schedule', 'retention'], 2, '--interval');
  await refused(['jobs', 'schedule', 'lease-expiry', '30 3 * * *'], 5, 'every 60 s');
  await refused(['jobs', 'schedule', 'nothing', '30 3 * * *'], 3, 'job nothing was not found');
});

test('an import is a task with its report; a dry run is none; what has ended cannot be cancelled', async () => {
  const file = join(it.cwd, 'customers.csv');
  writeFileSync(file, 'email,name\nann@x.test,Ann\nbob@x.test,Bob\n');
  const importing = ['import', 'customers', '--file', file];
  await it.answer([...importing, '--dry-run']);
  expect(await it.answer(['jobs', 'tasks'])).toMatchObject({ items: [] });
  await it.answer(importing);
  const { items } = await it.answer<{ items: { id: string }[] }>(['jobs', 'tasks']);
  const task = {
    kind: 'import customers',
    status: 'DONE',
    done: 2,
    report: { created: 2 },
    params: { file },
  };
  expect(items).toMatchObject([task]);
  const id = String(items[0]?.id);
  expect(await it.answer(['jobs', 'show', id])).toMatchObject(task);
  await refused(['jobs', 'cancel', id], 5, 'has already ended: DONE');
  await refused(['jobs', 'show', 'tsk_unknown'], 3, 'task tsk_unknown was not found');
});

test('what a person does with jobs stands in the audit log', async () => {
  await it.answer(['jobs', 'run', 'purge-audit', '--wait']);
  const jobs = ['audit', 'list', '--target', 'jobs'];
  const { items } = await it.answer<{ items: { action: string; target: { id: string }; via: string }[] }>(
    jobs,
  );
  expect(items.map(({ action, target, via }) => [action, target.id, via])).toEqual([
    ['JOB_STARTED', 'purge-audit', 'cli'],
    ['JOB_RESCHEDULED', 'retention', 'cli'],
    ['JOB_RESCHEDULED', 'retention', 'cli'],
  ]);
});
