// A process beside others that sends the same requests as they do: opens the installation that the environment names and
// makes a policy for each key of its arguments, all at once. Prints the status and the body of each answer.
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import { policyResource } from '#licensing/insight/policies/resource.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });
const create = policyResource
  .endpoints('license-admin')
  .find(({ method, path }) => method === 'post' && path.endsWith('/policies'));
const answers = await Promise.all(
  process.argv.slice(2).map(async (key) => {
    const asked = { params: undefined, query: undefined, body: { name: `Policy ${key}` } };
    return create?.handle(instance.ctx, { ...asked, headers: { 'idempotency-key': key } });
  }),
);
process.stdout.write(JSON.stringify(answers));
await instance.close();
