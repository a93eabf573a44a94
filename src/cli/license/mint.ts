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
import type { Keep } from '../frame/output-file.ts';
import { withLocal } from '../open.ts';
import { keepingSecret, keepingSecrets, noteLicenseKey, showsLicenseKey } from '../secret-file.ts';
import { timeAsked } from '../time-asked.ts';
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
  const features = await featuresAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    const input = await namingFlags(flags, async () => readInput(cli, ctx, features));
    const count = cli.integer('count') ?? 1;
    return count > 1 ? mintMany(cli, ctx, input, count) : mintOne(cli, ctx, input);
  });
}

async function mintOne(cli: Cli, ctx: Ctx, input: licenses.AdminCreateInput): Promise<number> {
  const minted = await keepingSecret(cli, (keep) =>
    changeOrPlan(cli, ctx, (ctx) =>
      namingFlags(flags, () => mint(cli, ctx, input, { keep, key: cli.option('idempotency-key') })),
    ),
  );
  const isShown = showsLicenseKey(cli);
  const view = isShown ? minted : withoutKey(minted);
  await cli.out.value(planned(cli, view), licenseCard(view));
  if (cli.dryRun) cli.note('dry run: nothing was changed');
  noteLicenseKey(cli, minted.id, isShown);
  return 0;
}

async function mintMany(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  count: number,
): Promise<number> {
  const key = cli.option('idempotency-key');
  const subjects = Array.from({ length: count }, (_, index) => `license ${index + 1}`);
  const batch = await keepingSecrets(cli, (attempt) =>
    changeEach(cli, ctx, subjects, (ctx, _subject, index) =>
      attempt((keep) =>
        namingFlags(flags, () =>
          mint(cli, ctx, input, { keep, key: key === undefined ? undefined : `${key}:${index}` }),
        ),
      ),
    ),
  );
  const results = showsLicenseKey(cli)
    ? batch.results
    : batch.results.map((result) => (result.success ? withoutKey(result) : result));
  return writeBatch(cli, { ...batch, results }, subjects, columnsOf(cli));
}

function columnsOf(cli: Cli) {
  if (!showsLicenseKey(cli)) return licenseColumns;
  return licenseColumns.map((column) =>
    column.key === 'keyMasked' ? { key: 'key', whole: true as const } : column,
  );
}

/** One license; its key comes with it, and the timeline says so, when it is shown or kept in a file. */
async function mint(
  cli: Cli,
  ctx: Ctx,
  input: licenses.AdminCreateInput,
  { keep, key }: { keep: Keep; key: string | undefined },
): Promise<Minted> {
  const idempotency = key === undefined ? null : { namespace: 'cli' as const, key };
  const reveal = !cli.dryRun && (showsLicenseKey(cli) || cli.given('out'));
  return ctx.tx(async (ctx) => {
    const { license, idempotent, mismatch } = await licenses.create(ctx, input, {
      source: 'CLI',
      idempotency,
      needsTerm: true,
    });
    if (reveal) await licenses.forReveal(ctx, license.id, 'MINT');
    // With --days the date moves with every call, so that a difference would say nothing.
    if (mismatch && !cli.given('days')) {
      cli.warn(`--idempotency-key was used for other values before; ${license.id} keeps them`);
    }
    const view = licenses.licenseView(ctx, license, { reveal });
    if (view.key !== undefined) keep(view.key);
    return { ...view, ...(idempotent && { idempotent: true as const }) };
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
  return timeAsked(cli, 'valid-until', 'end');
}

/** The suffix of a batch needs room too. */
function checkIdempotencyKey(cli: Cli): void {
  const key = cli.option('idempotency-key');
  if (key === undefined) return;
  const length = [...key].length;
  if (length < 1 || length > 240) throw usageError('--idempotency-key must have 1 to 240 characters');
}
