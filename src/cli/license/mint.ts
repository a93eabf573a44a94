import { planned } from '../change.ts';
import { type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Keep } from '../frame/output-file.ts';
import { keepingSecret, noteLicenseKey, showsLicenseKey } from '../secret-file.ts';
import { mintAsked, namingMintFlags, refuseOneKeyForMany } from './mint-input.ts';
import { type Made, type Minted, mintedFrom, withLicenseMaking, withoutKey } from './twin.ts';
import { licenseCard } from './view.ts';

/** `appctl license mint`. */
export async function mintLicense(cli: Cli): Promise<number> {
  const count = cli.integer('count') ?? 1;
  refuseOneKeyForMany(cli, count);
  return withLicenseMaking(cli, async (desk) => {
    const input = await mintAsked(cli, timeAt(desk));
    if (desk.byApiKey) {
      const { mintByKey } = await import('./by-api-key.ts');
      return mintByKey(cli, desk.byApiKey, input);
    }
    if (count <= 1) return mintOne(cli, desk, input);
    const { mintMany } = await import('./mint-many.ts');
    return mintMany(cli, count, (keep, key) => mint(cli, desk, input, { keep, key }));
  });
}

async function mintOne(cli: Cli, desk: Desk, input: object): Promise<number> {
  const minted = await keepingSecret(
    cli,
    (keep) => mint(cli, desk, input, { keep, key: cli.option('idempotency-key') }),
    { ownForce: true },
  );
  const isShown = showsLicenseKey(cli);
  const view = isShown ? minted : withoutKey(minted);
  await cli.out.value(planned(cli, view), licenseCard(view));
  if (cli.dryRun) cli.note('dry run: nothing was changed');
  noteLicenseKey(cli, minted.id, isShown);
  return 0;
}

/** One license; its key comes with it, and the timeline says so, when it is shown or kept in a file. */
async function mint(
  cli: Cli,
  desk: Desk,
  input: object,
  { keep, key }: { keep: Keep; key: string | undefined },
): Promise<Minted> {
  const withKey = !cli.dryRun && (showsLicenseKey(cli) || cli.given('out'));
  const body = { ...input, withKey, ...(key !== undefined && { idempotencyKey: key }) };
  const options = withKey ? { secret: { name: 'key', keep } } : {};
  const made = await namingMintFlags(cli, () => desk.post<Made>('licenses', body, options));
  // With --days the date moves with every call, so that a difference would say nothing.
  if (made.idempotentMismatch && !cli.given('days'))
    cli.warn(`--idempotency-key was used before with other values; ${made.license.id} keeps those`);
  return mintedFrom(made);
}
