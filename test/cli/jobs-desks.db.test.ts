// Commands about jobs and tasks at both desks (cli.md sections 1.7 and 3.9).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

interface Listed {
  items: { name: string; state: string }[];
}

describe('jobs at both desks', () => {
  test('are listed, paused, resumed and given times', () =>
    desks.same(async (desk) => {
      // Due within the hour at either desk.
      await desk.run('jobs schedule retention --interval --json');
      await desk.run('jobs pause retention --dry-run');
      expect((await desk.answer<Listed>('jobs list --state paused')).items).not.toContainEqual(
        expect.objectContaining({ name: 'retention' }),
      );
      await desk.run('jobs pause retention');
      await desk.run('jobs pause retention');
      expect((await desk.answer<Listed>('jobs list --state paused')).items).toContainEqual(
        expect.objectContaining({ name: 'retention', enabled: false, nextRunAt: null }),
      );
      await desk.run('jobs resume retention --json');
      await desk.run('jobs resume retention --json');
      await desk.run(['jobs', 'schedule', 'retention', '30 3 * * *', '--dry-run']);
      await desk.run(['jobs', 'schedule', 'retention', '30 3 * * *']);
      await desk.run('jobs schedule retention --interval --json');
      const { items } = await desk.answer<Listed>('jobs list');
      expect(items.find(({ name }) => name === 'retention')).toMatchObject({ schedule: 'every 3600 s' });
    }));

  test('are run, and have a history', () =>
    desks.same(async (desk) => {
      const run = await desk.run('jobs run purge_runs --wait');
      expect(run.stdout).toContain('purge-runs ok in');
      await desk.answer('jobs run purge-runs --wait');
      const history = await desk.answer<{ items: { startedBy: string }[] }>(
        'jobs history purge-runs --status ok --limit 2',
      );
      const by = desk.isRemote ? 'admin:owner' : expect.stringMatching(/^cli:/);
      expect(history.items.map(({ startedBy }) => startedBy)).toEqual([by, by]);
      await desk.run('jobs history purge-runs --status failed');
      await desk.run('jobs history delegation-renew');
      await desks.app.instance.database.transaction(({ knex }) => knex('job_runs').delete());
    }));

  test('what cannot be done is refused with the reason', () =>
    desks.same(async (desk) => {
      for (const words of ['run nothing --wait', 'history nothing', 'pause nothing', 'resume nothing'])
        expect(await desk.failure(`jobs ${words}`)).toMatchObject({
          exit: 3,
          message: expect.stringContaining('job nothing was not found'),
          hint: expect.stringContaining('known jobs: '),
        });
      expect(await desk.failure('jobs pause stats-flush')).toMatchObject({ exit: 5 });
      expect(await desk.failure(['jobs', 'schedule', 'retention', '30 25 * * *'])).toMatchObject({
        exit: 2,
        message: expect.stringContaining('hour must be 0 to 23, not 25'),
      });
      expect(await desk.failure(['jobs', 'schedule', 'lease-expiry', '30 3 * * *'])).toMatchObject({
        exit: 5,
      });
      await desk.failure('jobs schedule retention');
      const { database } = desks.app.instance;
      const hold = { lock_owner: 'other:1', locked_until: new Date(Date.now() + 60_000).toISOString() };
      const free = { lock_owner: null, locked_until: null };
      const change = (to: object) =>
        database.transaction(({ knex }) => knex('scheduled_jobs').where({ name: 'abuse' }).update(to));
      await change(hold);
      expect(await desk.failure('jobs run abuse')).toMatchObject({
        exit: 5,
        message: 'abuse is already running',
      });
      expect(await desk.answer<Listed>('jobs list --state running')).toMatchObject({
        items: [{ name: 'abuse', running: true }],
      });
      await change(free);
    }));
});

describe('tasks at both desks', () => {
  const insert = (id: string, status: string) => {
    const { database, ctx } = desks.app.instance;
    const running = { locked_until: new Date(Date.now() + 60_000).toISOString() };
    return database.transaction(({ knex }) =>
      knex('tasks').insert({
        id,
        tenant_id: ctx.tenantId,
        kind: 'suspend licenses',
        status,
        started_by: 'ann',
        params: '{"rows":300}',
        done: 10,
        total: 300,
        created_at: '2026-01-01T00:00:00.000Z',
        ...(status === 'RUNNING'
          ? running
          : {
              finished_at: '2026-01-01T00:01:00.000Z',
              report: JSON.stringify({
                results: [
                  { id: 'lic_1', success: false, error: { code: 'CONFLICT', message: 'is revoked' } },
                ],
                summary: { total: 300, succeeded: 299, failed: 1 },
              }),
            }),
      }),
    );
  };

  test('are listed and shown with what was refused, and cancelled', () =>
    desks.same(async (desk) => {
      const number = desk.tag.slice(-1);
      const running = `tsk_0000000000000000000000000${number}`;
      const done = `tsk_0000000000000000000000001${number}`;
      await insert(running, 'RUNNING');
      await insert(done, 'DONE');
      const shown = await desk.run(`jobs show ${done}`);
      expect(shown.stdout).toContain('lic_1: is revoked');
      await desk.run('jobs tasks --status DONE --limit 1');
      await desk.answer(`jobs show ${running}`);
      await desk.run(`jobs cancel ${running} --dry-run`);
      expect(await desk.answer(`jobs show ${running}`)).toMatchObject({ cancelAsked: false });
      await desk.run(`jobs cancel ${running}`);
      expect(await desk.answer(`jobs show ${running}`)).toMatchObject({ cancelAsked: true });
      expect(await desk.failure(`jobs cancel ${done}`)).toMatchObject({ exit: 5 });
      for (const words of ['show', 'cancel'])
        expect(await desk.failure(`jobs ${words} tsk_nope`)).toMatchObject({ exit: 3 });
      await desks.app.instance.database.transaction(({ knex }) => knex('tasks').delete());
    }));
});
