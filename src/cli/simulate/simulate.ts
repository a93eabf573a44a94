import { systemClock } from '#kernel/clock.ts';
import type { Simulated, SimulationInput } from '#licensing/insight/simulator/index.ts';
import { withDesk } from '../desk/open.ts';
import { curesOf, reasonOf, traceLines } from '../explain.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Paint } from '../frame/io.ts';
import { humanTime } from '../frame/times.ts';
import { parsePairs } from '../frame/values.ts';
import { wrapped } from '../frame/wrap.ts';
import { timeAsked } from '../time-asked.ts';

const flags = {
  licenseId: 'ID',
  machineId: '--machine',
  appVersion: '--app-version',
  quantity: '--quantity',
  leaseDuration: '--lease',
  entitlement: '--entitlement',
  validUntil: '--valid-until',
  currentVersion: '--current-version',
  channel: '--channel',
  platform: '--platform',
  arch: '--arch',
  at: '--at',
  changes: '--set',
};

const twins = async () =>
  (await import('#licensing/insight/simulator/admin-endpoints.ts')).simulatorAdminEndpoints;

/** `appctl simulate ID --action A`: what the public API would answer. */
export async function simulateRequest(cli: Cli): Promise<void> {
  const id = cli.argument('id');
  const asked = {
    licenseId: id,
    action: cli.required('action') as SimulationInput['action'],
    machineId: cli.option('machine'),
    appVersion: cli.option('app-version'),
    quantity: cli.integer('quantity'),
    leaseDuration: cli.integer('lease'),
    entitlement: cli.option('entitlement'),
    validUntil: timeAsked(cli, 'valid-until', 'end'),
    currentVersion: cli.option('current-version'),
    channel: cli.option('channel') as SimulationInput['channel'],
    platform: cli.option('platform'),
    arch: cli.option('arch'),
    at: timeAsked(cli, 'at', 'end'),
    changes: changesAsked(cli),
  };
  await withDesk(cli, twins, async (desk) => {
    const simulated = await namingFlags(flags, () => desk.post<Simulated>('simulate', asked));
    await cli.out.value(simulated, explanation(simulated, cli.io.stdout));
    if (!simulated.decision.allowed) cli.next(...curesOf(simulated.decision.code, id));
  });
}

/** The service judges names and values; here only the two kinds are told apart. */
function changesAsked(cli: Cli): SimulationInput['changes'] {
  const changes: Record<'license' | 'policy', Record<string, unknown>> = { license: {}, policy: {} };
  for (const [name, value] of Object.entries(parsePairs('--set', cli.list('set')))) {
    const [kind = '', field = '', ...more] = name.split('.');
    if ((kind !== 'license' && kind !== 'policy') || field === '' || more.length > 0)
      throw usageError(
        `--set '${name}' does not name a field`,
        'write --set license.maxActivations=5 or --set policy.gracePeriodSeconds=60',
      );
    Object.defineProperty(changes[kind], field, { value: fieldValue(field, value), enumerable: true });
  }
  return changes;
}

/** What is no JSON is a text; a version is one although it looks like a number. */
function fieldValue(field: string, value: string | true): unknown {
  if (value === true || (field === 'maxVersion' && value !== 'null')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function explanation(
  { answer, decision, evaluatedAt, policySource }: Simulated,
  stream: NodeJS.WriteStream,
): (paint: Paint) => string {
  const { allowed, code, trace } = decision;
  const error = (answer.body.error as { code?: string } | undefined)?.code;
  const sources = { license: 'its own policy', product: 'the policy of its product', none: 'no policy' };
  return (paint) => {
    const verdict = allowed ? paint('green', 'allowed') : paint('red', 'refused');
    return [
      wrapped(
        stream,
        `${verdict}: ${answer.httpStatus} ${error ?? code}  ${reasonOf(code) || decision.message}`,
      ),
      ...traceLines(trace, paint, stream),
      ...offerLines(answer.body),
      paint(
        'dim',
        `evaluated for ${humanTime(evaluatedAt, systemClock.epochMs())}, under ${sources[policySource]}; nothing was changed`,
      ),
    ].join('\n');
  };
}

/** What an update would be, where the question named an installed version. */
function offerLines({
  update_available,
  version,
  release_id,
  newer_version_not_allowed,
}: Simulated['answer']['body']): string[] {
  if (update_available === undefined) return [];
  if (update_available === true) return [`offered: ${version} (${release_id})`];
  const barred = newer_version_not_allowed;
  return [
    barred === undefined ? 'offered: nothing newer' : `offered: nothing; ${barred} is above maxVersion`,
  ];
}
