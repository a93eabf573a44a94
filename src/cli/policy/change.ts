import type { Json } from '#kernel/http/json-object.ts';
import type { PolicyUpdateInput } from '#licensing/catalog/policies/index.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { parsePairs } from '../frame/values.ts';
import { type OnePolicy, withPolicies } from './twin.ts';
import { writePolicy } from './write.ts';

/** Which flag stands for which field. */
export const policyFlags = {
  name: '--name',
  heartbeatInterval: '--heartbeat-interval',
  heartbeatCullStrategy: '--cull-strategy',
  defaultLeaseDuration: '--default-lease',
  entitlements: '--entitlement',
  gracePeriodSeconds: '--grace',
  defaultDurationDays: '--default-days',
  maxUses: '--max-uses',
  maxVersion: '--max-version',
  maxDeactivations: '--max-deactivations',
  deactivationWindowDays: '--deactivation-window',
  offlineMaxTtlSeconds: '--offline-max-ttl',
  trialReuse: '--trial-reuse',
  abuseAction: '--abuse-action',
};

const textFields: readonly string[] = [
  'name',
  'heartbeatCullStrategy',
  'maxVersion',
  'trialReuse',
  'abuseAction',
];

/** Only what was given: the service fills in and keeps the rest. */
function given(cli: Cli): PolicyUpdateInput {
  const entries = Object.entries(policyFlags)
    // An impact has no --name: it would change no answer.
    .filter(([, flag]) => cli.declares(flag.slice(2)))
    .map(([field, flag]): [string, unknown] => {
      const name = flag.slice(2);
      if (field === 'entitlements') return [field, entitlements(cli)];
      return [field, textFields.includes(field) ? cli.option(name) : cli.integer(name)];
    })
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as PolicyUpdateInput;
}

function entitlements(cli: Cli): Record<string, Json> | undefined {
  if (!cli.given('entitlement')) return undefined;
  const pairs = Object.entries(parsePairs('--entitlement', cli.list('entitlement')));
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, typeof value === 'string' ? asJson(value) : value]),
  );
}

/** `seats=5` is a number and `export=false` denies it: as texts both would read as held (licensing D82). */
function asJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** `appctl policy create`; with --product it is attached in the same transaction. */
export function createPolicy(cli: Cli): Promise<void> {
  const product = cli.option('product');
  const input = { ...given(cli), ...(product !== undefined && { productIds: [product] }) };
  return withPolicies(cli, async (desk) => {
    const { policy } = await namingFlags(policyFlags, () => desk.post<OnePolicy>('policies', input));
    await writePolicy(cli, planned(cli, policy));
    if (product !== undefined) noteChange(cli, `${policy.name} applies to ${product}`);
    else if (!cli.dryRun) cli.next(`appctl policy attach ${policy.id} --product SLUG`);
  });
}

/** The changes that an update or its impact names. @throws usage error (2) when there is none */
export function changesAsked(cli: Cli): PolicyUpdateInput {
  const input = { ...given(cli), ...clearedFields(cli, policyFlags) };
  if (Object.keys(input).length === 0)
    throw usageError('nothing to change', `appctl ${cli.spec.path} --help`);
  return input;
}

/** `appctl policy update POLICY`. */
export async function updatePolicy(cli: Cli): Promise<void> {
  const input = changesAsked(cli);
  const changed = Object.keys(input);
  await withPolicies(cli, async (desk) => {
    const { policy } = await namingFlags(policyFlags, () =>
      desk.patch<OnePolicy>(at`policies/${cli.argument('policy')}`, input),
    );
    await writePolicy(cli, planned(cli, policy));
    noteChange(cli, `changed ${changed.join(', ')} of ${policy.name}`);
  });
}
