import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#licensing/index.ts';
import * as licenses from '#licensing/licenses/index.ts';
import * as policies from '#licensing/policies/index.ts';
import * as products from '#licensing/products/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import { changeOrPlan, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { parseTime } from '../frame/values.ts';
import { withLocal } from '../open.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';
import { featuresAsked, metadataAsked } from './fields.ts';
import { licenseCard, licenseColumns } from './view.ts';

/** Which flag stands for which field. */
const flags = {
  productId: '--product',
  customerEmail: '--email',
  customerName: '--name',
  type: '--type',
  tier: '--tier',
  maxActivations: '--max-activations',
  validUntil: '--valid-until',
  orderId: '--order-id',
  metadata: '--meta',
  policyId: '--policy',
  features: '--features',
  maxVersion: '--max-version',
  maxUses: '--max-uses',
};

type Minted = licenses.LicenseView & { idempotent?: true };

/** `appctl license mint`. */
export async function mintLicense(cli: Cli): Promise<number> {
  const file = secretFileAsked(cli);
  const features = await featuresAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    const input = await namingFlags(flags, async () => readInput(cli, ctx, features));
    const count = cli.integer('count') ?? 1;
    return count > 1 ? mintMany(cli, ctx, input, { count, file }) : mintOne(cli, ctx, input, file);
  });
}

async function mintOne(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  file: string | undefined,
): Promise<number> {
  const minted = await changeOrPlan(cli, ctx, (ctx) =>
    namingFlags(flags, () => mint(cli, ctx, input, cli.option('idempotency-key'))),
  );
  if (file !== undefined && minted.key !== undefined) writeSecretFile(cli, file, minted.key);
  const view = cli.flag('reveal') ? minted : withoutKey(minted);
  await cli.out.value(planned(cli, view), licenseCard(view));
  if (cli.dryRun) cli.note('dry run: nothing was changed');
  else if (view.key === undefined && file === undefined) {
    cli.next(`appctl license reveal ${minted.id} --reason TEXT`);
  }
  return 0;
}

async function mintMany(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  { count, file }: { count: number; file: string | undefined },
): Promise<number> {
  const key = cli.option('idempotency-key');
  const subjects = Array.from({ length: count }, (_, index) => `license ${index + 1}`);
  const batch = await changeEach(cli, ctx, subjects, (ctx, _subject, index) =>
    namingFlags(flags, () => mint(cli, ctx, input, key === undefined ? undefined : `${key}:${index}`)),
  );
  const keys = batch.results.flatMap((result) =>
    result.success && result.key !== undefined ? [result.key] : [],
  );
  if (file !== undefined && keys.length > 0) writeSecretFile(cli, file, keys.join('\n'));
  const results = cli.flag('reveal')
    ? batch.results
    : batch.results.map((result) => (result.success ? withoutKey(result) : result));
  return writeBatch(cli, { ...batch, results }, subjects, columnsOf(cli));
}

function columnsOf(cli: Cli) {
  if (!cli.flag('reveal')) return licenseColumns;
  return licenseColumns.map((column) => (column.key === 'keyMasked' ? { key: 'key' } : column));
}

/** One license; its key comes with it, and the timeline says so, when --reveal or --out asks for it. */
async function mint(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  idempotencyKey: string | undefined,
): Promise<Minted> {
  const idempotency =
    idempotencyKey === undefined ? null : { namespace: 'cli' as const, key: idempotencyKey };
  const reveal = !cli.dryRun && (cli.flag('reveal') || cli.given('out'));
  return ctx.tx(async (ctx) => {
    const { license, idempotent, mismatch } = await licenses.create(ctx, input, {
      source: 'CLI',
      idempotency,
    });
    if (reveal) await licenses.forReveal(ctx, license.id, 'MINT');
    // With --days the date moves with every call, so that a difference would say nothing.
    if (mismatch && !cli.given('days')) {
      cli.warn(`--idempotency-key was used for other values before; ${license.id} keeps them`);
    }
    return {
      ...licenses.licenseView(ctx, license, { reveal }),
      ...(idempotent && { idempotent: true as const }),
    };
  });
}

function withoutKey<T extends Minted>({ key, ...rest }: T): Omit<T, 'key'> & { key?: never } {
  return rest;
}

/** Reads the options and checks them as the API checks a body. */
async function readInput(
  cli: Cli,
  ctx: Ctx,
  features: Record<string, unknown> | undefined,
): Promise<licenses.AdminCreateInput> {
  checkIdempotencyKey(cli);
  const policy = cli.option('policy');
  const values = {
    productId: (await products.get(ctx, cli.required('product'))).id,
    customerEmail: cli.required('email'),
    customerName: cli.option('name'),
    type: cli.option('type'),
    tier: cli.option('tier'),
    maxActivations: cli.integer('max-activations'),
    validUntil: validUntilAsked(cli, ctx.now()),
    orderId: cli.option('order-id'),
    metadata: metadataAsked(cli),
    policyId: policy === undefined ? undefined : (await policies.get(ctx, policy)).id,
    features,
    maxVersion: cli.option('max-version'),
    maxUses: cli.integer('max-uses'),
  };
  return checkInput(licenses.AdminCreateBody, values);
}

/** undefined asks for the default, null for a license without an end (licensing D47). */
function validUntilAsked(cli: Cli, now: string): string | null | undefined {
  if (cli.flag('perpetual')) return null;
  const days = cli.integer('days');
  if (days !== undefined) return addSeconds(now, days * SECONDS_PER_DAY);
  const until = cli.option('valid-until');
  return until === undefined ? undefined : parseTime('--valid-until', until);
}

/** The suffix of a batch needs room too. */
function checkIdempotencyKey(cli: Cli): void {
  const key = cli.option('idempotency-key');
  if (key === undefined) return;
  const length = [...key].length;
  if (length < 1 || length > 240) throw usageError('--idempotency-key must have 1 to 240 characters');
}
