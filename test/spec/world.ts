// The application as a caller of the public API meets it, for the tests of the specification's rows.
import { capabilities } from '../../src/app/capabilities.ts';
import { type AppOptions, type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';

export type World = TestApp & {
  /** Of scope FULL_ADMIN. */
  key: string;
  /** POST /api/v1/license/NAME. */
  call(name: string, body: object, key?: string, headers?: Record<string, string>): Promise<HttpReply>;
  /** A FLOATING license with so many seats. */
  floating(seats?: number): Promise<MadeLicense>;
  /** A license whose policy has such rules. */
  underPolicy(
    rules: Parameters<TestApp['policy']>[0],
    extra?: Parameters<TestApp['license']>[0],
  ): Promise<MadeLicense>;
  /** Events of a license that a webhook would be told of, oldest first. */
  told(subject: string): { type: string; data: Record<string, unknown> }[];
  typesTold(subject: string): string[];
  /** Runs a job of the program now, as its scheduler would. */
  runJob(name: string): Promise<Record<string, number>>;
  /** The computed status of a license, as validate tells it. */
  statusOf(licenseKey: string): Promise<unknown>;
};

export const MACHINE = 'machine-0001';
export const OTHER_MACHINE = 'machine-0002';

/** Opens it; close it in `afterAll`. */
export async function openWorld(options: AppOptions = {}): Promise<World> {
  const app = await startApp({ listener: true, ...options });
  const { secret } = await app.apiKey('FULL_ADMIN');
  const told: World['told'] = (subject) => app.heard.filter((event) => event.subject === subject);
  return {
    ...app,
    key: secret,
    call: (name, body, key = secret, headers = {}) => app.post(`/api/v1/license/${name}`, body, key, headers),
    async floating(seats = 2) {
      const { id } = await app.product({ defaultLicenseType: 'FLOATING' });
      return app.license({ productId: id, maxActivations: seats });
    },
    async underPolicy(rules, extra = {}) {
      const policy = await app.policy(rules);
      return app.license({ ...extra, policyId: policy.id });
    },
    told,
    typesTold: (subject) => told(subject).map(({ type }) => type),
    runJob(name) {
      const job = capabilities.flatMap((one) => one.jobs ?? []).find((one) => one.name === name);
      if (!job) throw new Error(`there is no job ${name}`);
      return job.run(app.ctx);
    },
    async statusOf(licenseKey) {
      const { body } = await app.post('/api/v1/license/validate', { licenseKey, machineId: MACHINE }, secret);
      return body.status;
    },
  };
}
