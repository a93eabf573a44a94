import { systemClock } from '#kernel/clock.ts';
import type { ActivationView, TimelineEvent } from '#licensing/licenses/licenses/index.ts';
import type { AdminLicenseView } from '#licensing/licenses/licenses/view.ts';
import type { UsageView } from '#licensing/licenses/usage/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Paint } from '../frame/io.ts';
import type { Column } from '../frame/rows.ts';
import { humanTime } from '../frame/times.ts';

/** What is shown of a license, wherever it comes from. */
type Shown = Omit<AdminLicenseView, 'idempotencyKey' | 'openFlags'> & {
  key?: string | undefined;
  activations?: readonly Pick<ActivationView, 'machineId' | 'machineName' | 'lastSeenAt'>[] | undefined;
};

/** Columns of a list of licenses. */
export const licenseColumns: readonly Column<Shown>[] = [
  { key: 'id' },
  // As much of the key as is shown anywhere, and as commands take in place of the id.
  { key: 'keyMasked', title: 'key', text: ({ keyMasked }) => keyMasked.replace(/(?:-\*+)+$/, '…') },
  { key: 'productSlug', title: 'product' },
  { key: 'customer.email', title: 'customer' },
  { key: 'type', minor: true },
  { key: 'tier', minor: true },
  { key: 'status' },
  {
    key: 'activationsUsed',
    title: 'machines',
    minor: true,
    text: ({ activationsUsed, maxActivations }) => `${activationsUsed} of ${maxActivations}`,
  },
  { key: 'maxActivations', asData: true },
  { key: 'validUntil', title: 'valid until', time: true },
];

/** Columns of a list of machines. */
export const machineColumns: readonly Column<ActivationView>[] = [
  { key: 'machineId', title: 'machine' },
  { key: 'machineName', title: 'name' },
  { key: 'kind' },
  { key: 'osName', title: 'system' },
  { key: 'appVersion', title: 'version' },
  { key: 'activatedAt', title: 'activated', time: true },
  { key: 'lastSeenAt', title: 'last seen', time: true },
  { key: 'leaseExpiresAt', title: 'lease until', time: true },
  { key: 'metadata' },
];

/** A license for a person: what support looks at first. Pass it as `human` to `cli.out.value`. */
export function licenseCard(
  license: Shown,
  more: {
    usage?: UsageView | undefined;
    events?: TimelineEvent[] | undefined;
    /** What made it what it is, where it was suspended or revoked. */
    cause?: TimelineEvent | undefined;
  } = {},
): (paint: Paint) => string {
  const { customer, activations = [] } = license;
  const { usage, events = [], cause } = more;
  const now = systemClock.epochMs();
  return card([
    ['license', license.id],
    ['key', license.key ?? license.keyMasked],
    ['status', license.status],
    ['since', cause && eventLine(cause, now)],
    ['product', `${license.productName} (${license.productSlug})`],
    ['customer', customer.name === null ? customer.email : `${customer.name} <${customer.email}>`],
    ['type', `${license.type}, ${license.tier}`],
    ['machines', `${license.activationsUsed} of ${license.maxActivations}`],
    ['valid until', license.validUntil ?? 'never expires'],
    ['grace until', license.graceExpiresAt],
    ['version', license.maxVersion === null ? null : `up to ${license.maxVersion}`],
    ['uses', usesOf(license, usage)],
    ['features', license.features],
    ['policy', license.policyId],
    ['order', license.orderId],
    ['metadata', license.metadata],
    ['notes', license.notes],
    ['created', license.createdAt],
    ['in the trash since', license.deletedAt],
    ...activations.map(({ machineId, machineName, lastSeenAt }): [string, string] => {
      const name = machineName === null ? machineId : `${machineId} (${machineName})`;
      return ['machine', `${name}, last seen ${humanTime(lastSeenAt, now)}`];
    }),
    ...Object.entries(usage?.byFeature ?? {}).map(([feature, quantity]): [string, string] => {
      return ['feature used', `${feature}: ${quantity}`];
    }),
    ...events.map((event): [string, string] => ['event', eventLine(event, now)]),
  ]);
}

/** Who did it, and why where somebody said so. */
function eventLine({ at, type, actor, data }: TimelineEvent, now: number): string {
  const { note, reason } = { ...data, ...(data.details as TimelineEvent['data'] | undefined) };
  const why = [note, reason].find((text) => typeof text === 'string' && text !== '');
  return `${humanTime(at, now)}  ${type} by ${actor.label ?? actor.kind}${why === undefined ? '' : `: ${why}`}`;
}

function usesOf(license: Shown, usage: UsageView | undefined): string | null {
  // With --usage the limit may be the policy's.
  if (usage)
    return usage.max === null ? `${usage.current}, without limit` : `${usage.current} of ${usage.max}`;
  return license.maxUses === null ? null : `${license.currentUses} of ${license.maxUses}`;
}

/** The longest reason that the timeline keeps. */
const LONGEST_REASON = 500;

/**
 * The text of `--reason`.
 * @throws usage error (2) when it is empty or longer than 500 characters
 */
export function reasonAsked(cli: Cli): string {
  const reason = cli.required('reason').trim();
  const length = [...reason].length;
  if (length >= 1 && length <= LONGEST_REASON) return reason;
  throw usageError(`--reason must have 1 to ${LONGEST_REASON} characters`);
}

/** Every format of the program makes such keys (licensing D133). */
const WHOLE_KEY = /^[A-Za-z0-9]{2,10}(?:-[A-Za-z0-9]{4}){4,20}$/;

/**
 * Refuses a license key on the command line, where other users of the machine can read it (cli.md section 1.5).
 * @throws usage error (2) that does not repeat the key
 */
export function refuseWholeKey(flag: string, text: string | undefined): void {
  if (text === undefined || !WHOLE_KEY.test(text.trim())) return;
  throw usageError(
    `${flag} looks like a whole license key, which is a secret`,
    'appctl license find --key-stdin < FILE',
  );
}

/** The argument ID of a command on one license. @throws usage error (2) as refuseWholeKey */
export function idAsked(cli: Cli): string {
  const id = cli.argument('id');
  refuseWholeKey('ID', id);
  return id;
}
