import type { ReleaseCreateInput, RolloutStep } from '#licensing/releases/releases/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { readTime } from '../time-asked.ts';

/** Which flag stands for which field of a release. */
export const releaseFlags = {
  productId: '--product',
  version: '--version',
  channel: '--channel',
  platform: '--platform',
  arch: '--arch',
  changelog: '--changelog-file',
  isCritical: '--critical',
  requiresMigration: '--requires-migration',
  minFromVersion: '--min-from',
  requiredEntitlements: '--entitlement',
  rolloutPercent: '--rollout',
  percent: '--percent',
  schedule: '--schedule',
  reason: '--reason',
  at: '--at',
};

/**
 * The new release that the flags describe. `release sign --publish` declares fewer of them than `release ship`.
 *
 * @throws usage error (2) when the changelog cannot be read
 */
export async function releaseAsked(cli: Cli): Promise<ReleaseCreateInput> {
  const changelog = optionOf(cli, 'changelog-file');
  const entitlements = cli.declares('entitlement') ? cli.list('entitlement') : [];
  return {
    productId: cli.required('product'),
    version: cli.required('version'),
    channel: (cli.option('channel') ?? 'stable') as NonNullable<ReleaseCreateInput['channel']>,
    platform: cli.option('platform') ?? '',
    arch: cli.option('arch') ?? '',
    isCritical: flagOf(cli, 'critical'),
    requiresMigration: flagOf(cli, 'requires-migration'),
    requiredEntitlements: [...entitlements],
    ...(optionOf(cli, 'min-from') !== undefined && { minFromVersion: optionOf(cli, 'min-from') }),
    ...rolloutAsked(cli),
    ...(changelog !== undefined && {
      changelog: (await cli.readText('--changelog-file', changelog)).trimEnd(),
    }),
  };
}

/** The value of an option that not every command of the family declares. */
export const optionOf = (cli: Cli, name: string): string | undefined =>
  cli.declares(name) ? cli.option(name) : undefined;

/** A switch that not every command of the family declares. */
export const flagOf = (cli: Cli, name: string): boolean => cli.declares(name) && cli.flag(name);

/** From when on: `--at`. */
export function timeAsked(cli: Cli): { at?: string } {
  const at = optionOf(cli, 'at');
  return at === undefined ? {} : { at: readTime(cli, '--at', at, 'start') };
}

/** To whom first: `--rollout`. */
export function rolloutAsked(cli: Cli): { rolloutPercent?: number } {
  const rollout = optionOf(cli, 'rollout');
  return rollout === undefined ? {} : { rolloutPercent: percentOf('--rollout', rollout) };
}

/**
 * Reads a share such as `10%`, `12.5 %` or `100`.
 *
 * @param flag named in the error
 * @throws usage error (2) outside of 0 to 100, or with more than two decimals
 */
export function percentOf(flag: string, text: string): number {
  const percent = Number(/^(\d{1,3}(?:\.\d{1,2})?) ?%?$/.exec(text.trim())?.[1]);
  if (percent >= 0 && percent <= 100) return percent;
  throw usageError(
    `${flag} '${text}' is not a percentage`,
    'write 0 to 100 with at most two decimals, such as 10%',
  );
}

/**
 * Reads the steps of a schedule, `TIME=PERCENT` each.
 *
 * @returns in ascending order of time
 * @throws usage error (2) for another form
 */
export function scheduleOf(cli: Cli, flag: string, steps: readonly string[]): RolloutStep[] {
  const read = steps.map((step) => {
    const [time = '', percent, ...rest] = step.split('=');
    if (percent === undefined || rest.length > 0) {
      throw usageError(`${flag} '${step}' is not a step`, `write ${flag} 2027-02-01T09:00:00Z=50`);
    }
    return { at: readTime(cli, flag, time, 'start'), percent: percentOf(flag, percent) };
  });
  return read.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}
