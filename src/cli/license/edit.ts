import { isDeepStrictEqual } from 'node:util';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at, type ChangeOptions, type Desk } from '../desk/desk.ts';
import { unlessMissing } from '../desk/missing.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { timeAsked } from '../time-asked.ts';
import { featuresAsked, metadataAsked } from './fields.ts';
import { confirmShortening } from './term-change.ts';
import { act, type DeskLicense, licenseOf, type One, withLicenses } from './twin.ts';
import { idAsked, licenseCard } from './view.ts';

/** Which flag stands for which field. */
const flags = {
  type: '--type',
  tier: '--tier',
  maxActivations: '--max-activations',
  validUntil: '--valid-until',
  features: '--features',
  policyId: '--policy',
  maxVersion: '--max-version',
  maxUses: '--max-uses',
  gracePeriodSeconds: '--grace',
  orderId: '--order-id',
  metadata: '--meta',
  notes: '--notes',
};

const textFields = ['type', 'tier', 'policyId', 'maxVersion', 'orderId', 'notes'] as const;
const numberFields = ['maxActivations', 'maxUses', 'gracePeriodSeconds'] as const;

/** `appctl license update ID …`: the license as it is now, and in `before` what the changed fields were. */
export async function updateLicense(cli: Cli): Promise<void> {
  const input = await given(cli);
  if (Object.keys(input).length === 0) throw usageError('nothing to change', 'appctl license update --help');
  await changeOne(cli, {
    names: flags,
    movesEnd: 'validUntil' in input,
    shows: (before) => ({ before }),
    work: async (desk, id, options) => (await desk.patch<One>(at`licenses/${id}`, input, options)).license,
  });
}

/** Only what was given: everything else stays. */
async function given(cli: Cli): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {
    validUntil: timeAsked(cli, 'valid-until', 'end'),
    features: await featuresAsked(cli),
    metadata: metadataAsked(cli),
  };
  for (const field of textFields) values[field] = cli.option(flags[field].slice(2));
  for (const field of numberFields) values[field] = cli.integer(flags[field].slice(2));
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const cleared = clearedFields(cli, flags);
  // Metadata is always there: without entries it is empty.
  return { ...sent, ...cleared, ...('metadata' in cleared && { metadata: {} }) };
}

/** `appctl license transfer ID --to-email E | --to-customer ID`. */
export async function transferLicense(cli: Cli): Promise<void> {
  const [customerEmail, customerId] = [cli.option('to-email'), cli.option('to-customer')];
  if ((customerEmail === undefined) === (customerId === undefined))
    throw usageError('give either --to-email or --to-customer', 'appctl license transfer --help');
  const input = { customerEmail, customerId, keepActivations: cli.flag('keep-activations') };
  await changeOne(cli, {
    names: { customerEmail: '--to-email', customerId: '--to-customer' },
    movesEnd: false,
    work: (desk, id, options) => act(desk, id, 'transfer', input, options),
  });
}

/** `appctl license change-policy ID POLICY [--expiry keep|reset]`. */
export async function changeLicensePolicy(cli: Cli): Promise<void> {
  const expiry = cli.option('expiry') === 'reset' ? 'RESET' : 'KEEP';
  const input = { policyId: cli.argument('policy'), expiry };
  await changeOne(cli, {
    names: { expiry: '--expiry', policyId: 'POLICY' },
    movesEnd: expiry === 'RESET',
    work: (desk, id, options) => act(desk, id, 'change-policy', input, options),
  });
}

interface Edit {
  readonly names: Readonly<Record<string, string>>;
  /** The end may move, also to an earlier time. */
  readonly movesEnd: boolean;
  readonly work: (desk: Desk, id: string, options?: ChangeOptions) => Promise<DeskLicense>;
  /** What the answer shows of the values before. */
  readonly shows?: (before: Readonly<Record<string, unknown>>) => object;
}

async function changeOne(cli: Cli, { names, movesEnd, work, shows }: Edit): Promise<void> {
  const id = idAsked(cli);
  await withLicenses(cli, async (desk) => {
    const change = (options?: ChangeOptions) => namingFlags(names, () => work(desk, id, options));
    if (movesEnd) await confirmShortening(cli, desk, [id], (_id, options) => change(options));
    // What is wrong with the change is told before what does not exist: then the change itself refuses.
    const found = await licenseOf(desk, id).catch(unlessMissing);
    const license = await change();
    const before = found ?? license;
    const changed = valuesBefore(before, license);
    const view = { ...license, ...shows?.(changed) };
    await cli.out.value(planned(cli, view), licenseCard(license));
    const fields = Object.keys(changed);
    if (before.customer.id !== license.customer.id) fields.push('customer');
    if (fields.length > 0) noteChange(cli, `changed ${fields.join(', ')} of ${id}`);
    else if (!cli.json) cli.note(`${id} already has these values; nothing was changed`);
  });
}

type Field = keyof typeof flags;

/** What the fields were that differ now. */
function valuesBefore(before: DeskLicense, after: DeskLicense): Partial<Record<Field, unknown>> {
  const differ = (Object.keys(flags) as Field[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  return Object.fromEntries(differ.map((field) => [field, before[field] ?? null]));
}
