// What the tests of the cull share: licenses under a policy with heartbeats, and what became of their machines.

import { heartbeats } from '#licensing/licenses/heartbeats/capability.ts';
import { heartbeat } from '#licensing/licenses/heartbeats/index.ts';
import { activate } from '#licensing/licenses/machines/index.ts';
import { type AppOptions, startApp, type TestApp } from '../support/app.ts';

/** The machine that is named where no other is. */
export const machineId = 'machine-0001';
export const MINUTES = 10;
/** Seconds. */
export const INTERVAL = MINUTES * 60;

/** A run that found nothing to do. */
export const none = { deactivated: 0, suspended: 0, notified: 0 };

export type Strategy = 'DEACTIVATE_DEAD' | 'SUSPEND_LICENSE' | 'NO_ACTION';
type LicenseInput = Parameters<TestApp['license']>[0];

/** @returns the application with a listener, and what a test of the cull does with it; close its app in `afterAll` */
export async function openCulling(options: AppOptions = {}) {
  const app = await startApp({ listener: true, ...options });
  const job = heartbeats.jobs?.[0];
  const watching = (heartbeatCullStrategy: Strategy) =>
    app.policy({ heartbeatInterval: MINUTES, heartbeatCullStrategy });
  const activationsOf = (licenseId: string): Promise<Record<string, string>[]> =>
    app.instance.database.db
      .knex('license_activations')
      .where({ license_id: licenseId })
      .orderBy('machine_id');
  return {
    app,
    /** Runs the job, without its lease. */
    cull: async () => job?.run(app.ctx),
    /** Runs the job and tells what it wrote. */
    run: () => app.changesBy(async () => job?.run(app.ctx)),
    /** Makes a policy. */
    watching,
    /** Makes a license under a new policy, with machines that are seen now. */
    async watched(strategy: Strategy, extra: LicenseInput = {}, machines = [machineId]) {
      const policyId = (await watching(strategy)).id;
      const license = await app.license({ policyId, maxActivations: 5, ...extra });
      for (const machine of machines) {
        const input = { licenseKey: license.key, machineId: machine, machineName: 'Desk' };
        await activate(app.ctx, input);
      }
      return license;
    },
    /** Lets an interval pass, and a millisecond more. */
    lapse: (seconds = INTERVAL + 0.001) => app.clock.advance(seconds),
    beat: (licenseKey: string, machine = machineId) => heartbeat(app.ctx, { licenseKey, machineId: machine }),
    liveOf: async (licenseId: string) =>
      (await activationsOf(licenseId)).filter((row) => row.ended_at === null).map((row) => row.machine_id),
    endReasonsOf: async (licenseId: string) => (await activationsOf(licenseId)).map((row) => row.end_reason),
    /** Takes heartbeats off all policies: what an earlier test left alive is of no concern to the next. */
    forget: () =>
      app.instance.database.transaction(({ knex }) =>
        knex('license_policies').update({ heartbeat_interval: null }),
      ),
  };
}
