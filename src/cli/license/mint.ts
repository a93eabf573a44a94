import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import { changeOrPlan, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import type { Keep } from '../frame/output-file.ts';
import { withLocal } from '../open.ts';
import { keepingSecret, keepingSecrets, noteLicenseKey, showsLicenseKey } from '../secret-file.ts';
import { mintAsked, namingMintFlags, refuseOneKeyForMany } from './mint-input.ts';
import { licenseCard, licenseColumns } from './view.ts';

type Minted = licenses.LicenseView & { idempotent?: true };

/** `appctl license mint`. */
export async function mintLicense(cli: Cli): Promise<number> {
  const count = cli.integer('count') ?? 1;
  refuseOneKeyForMany(cli, count);
  return withLocal(cli, async ({ ctx }) => {
    const input = await mintAsked(cli, ctx);
    return count > 1 ? mintMany(cli, ctx, input, count) : mintOne(cli, ctx, input);
  });
}

async function mintOne(cli: Cli, ctx: Ctx, input: licenses.AdminCreateInput): Promise<number> {
  const minted = await keepingSecret(
    cli,
    (keep) =>
      changeOrPlan(cli, ctx, (ctx) =>
        namingMintFlags(cli, () => mint(cli, ctx, input, { keep, key: cli.option('idempotency-key') })),
      ),
    { ownForce: true },
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
  const batch = await keepingSecrets(
    cli,
    (attempt) =>
      changeEach(cli, ctx, subjects, (ctx, _subject, index) =>
        attempt((keep) =>
          namingMintFlags(cli, () =>
            mint(cli, ctx, input, { keep, key: key === undefined ? undefined : `${key}:${index}` }),
          ),
        ),
      ),
    { ownForce: true },
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
