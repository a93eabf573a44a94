// Licenses that refuse the next request, each for a reason of its own.
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { MadeLicense, TestApp } from '../support/app.ts';

/** The machine that is going to be refused, and one that came before it. */
export const machineId = 'machine-0001';
export const otherMachine = 'machine-0002';

export type DeniedLicenses = ReturnType<typeof deniedLicenses>;

/** @param send posts to an action of the public API, with an API key that may do everything */
export function deniedLicenses(app: TestApp, send: (action: string, body: object) => Promise<unknown>) {
  const floating = () => app.license({ type: 'FLOATING', maxActivations: 1 });
  return {
    /** With one seat. */
    floating,
    async suspended(made: Promise<MadeLicense>) {
      const license = await made;
      await licenses.suspend(app.ctx, license.id, { reason: 'ADMIN', note: null });
      return license;
    },
    async revoked(made: Promise<MadeLicense>) {
      const license = await made;
      await licenses.revoke(app.ctx, { licenseId: license.id }, 'refund');
      return license;
    },
    /** Its only slot is another machine's. */
    async taken(made: Promise<MadeLicense>, action: 'activate' | 'checkout') {
      const license = await made;
      await send(action, { licenseKey: license.key, machineId: otherMachine, machineName: 'desk' });
      return license;
    },
    /** The machine's lease ran out a second ago and was swept. */
    async swept() {
      const license = await floating();
      await send('checkout', { licenseKey: license.key, machineId, leaseDuration: 60 });
      app.clock.advance(61);
      await send('checkout', { licenseKey: license.key, machineId: otherMachine });
      return license;
    },
    /** The machine was deactivated as often as its policy allows in seven days. */
    async churned() {
      const policy = await app.policy({ maxDeactivations: 1, deactivationWindowDays: 7 });
      const license = await app.license({ policyId: policy.id });
      const machine = { licenseKey: license.key, machineId };
      await send('activate', machine);
      await send('deactivate', machine);
      await send('activate', machine);
      return license;
    },
    /** The machine had a trial of this product before, and its policy allows one. */
    async secondTrial() {
      const policy = await app.policy({ trialReuse: 'BLOCK' });
      const { id: productId } = await app.product({ policyId: policy.id });
      const validUntil = new Date(app.clock.epochMs() + 432_000_000).toISOString();
      const trial = { productId, type: 'TRIAL', validUntil } as const;
      const first = await app.license(trial);
      await send('activate', { licenseKey: first.key, machineId });
      return app.license(trial);
    },
  };
}
