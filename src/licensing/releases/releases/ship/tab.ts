import { allows } from '#kernel/actor.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { localMinute } from '#kernel/local-time.ts';
import { find, publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import type { Chart } from '#platform/charts/index.ts';
import { stats } from '../read.ts';
import type { ReleaseStats, ReleaseView } from '../view.ts';

/** Steps of a rollout that a button takes, percent. */
const STEPS = [5, 10, 25, 50, 100] as const;

/** What the way of a release to its customers shows: what is done, what comes next, and how far it reaches. */
export async function shipping(ctx: Ctx, release: ReleaseView): Promise<Record<string, unknown>> {
  const { id, state, product, version, bundleFilename, bundleSha256 } = release;
  const keys = await publicKeysForClients(ctx, release.productId);
  const key =
    keys.find(({ keyId }) => keyId === release.keyId) ?? keys.find((one) => one.status === 'ACTIVE');
  const keptHere =
    key !== undefined &&
    nextStep(release) === 'sign' &&
    (await find(ctx, key.keyId, release.productId)).serverHeld;
  const file = bundleFilename ?? `${product}-${version}.zip`;
  return {
    release,
    path: `/admin/releases/${encodeURIComponent(id)}`,
    mayWrite: allows(ctx.actor, 'licensing:write'),
    once: ctx.newId('frm'),
    steps: STEPS,
    localMinute: (iso: string) => localMinute(new Date(iso)),
    next: nextStep(release),
    scheduled: state === 'PUBLISHED' && release.publishedAt !== null && release.publishedAt > ctx.now(),
    signCommand: `appctl release sign ${quoted(file)} --product ${product} --version ${version}${targetFlags(release)} --key ${keptHere ? `store:${key.keyId}` : 'KEYFILE'}`,
    keptHere,
    verifyCommand:
      bundleSha256 === null || release.signature === null || !key
        ? null
        : `appctl release verify ${quoted(file)} --pubkey ${key.publicKey.toString('base64')} --sha256 ${bundleSha256}`,
  };
}

/** The step that a draft waits for; null when it has gone all of its way. */
const nextStep = ({ state, bundleSha256, signature }: ReleaseView): 'upload' | 'sign' | 'publish' | null => {
  if (state !== 'DRAFT') return null;
  if (bundleSha256 === null) return 'upload';
  return signature === null ? 'sign' : 'publish';
};

/** What a statement says beside product and version, where it is not the default. */
function targetFlags({
  channel,
  platform,
  arch,
  isCritical,
  requiresMigration,
  minFromVersion,
}: ReleaseView): string {
  const flags = [
    channel !== 'stable' && `--channel ${channel}`,
    platform !== '' && `--platform ${platform}`,
    arch !== '' && `--arch ${arch}`,
    isCritical && '--critical',
    requiresMigration && '--requires-migration',
    minFromVersion !== null && `--min-from ${minFromVersion}`,
  ].filter((one) => one !== false);
  return flags.map((one) => ` ${one}`).join('');
}

/** A name as a shell reads it. */
const quoted = (name: string): string =>
  /^[\w.@%+=:,/-]+$/.test(name) && !name.startsWith('-') ? name : `'./${name.replaceAll("'", `'\\''`)}'`;

const PERIOD_DAYS = 30;

/** How often a release was looked for, offered and downloaded. */
export async function adoption(ctx: Ctx, { id }: ReleaseView): Promise<Record<string, unknown>> {
  const { checks, offers, downloads, fromVersions, days } = await stats(ctx, id);
  return {
    totals: { checks, offers, downloads },
    fromVersions: fromVersions.slice(0, PERIOD_DAYS),
    chart: await courseOf(ctx, days),
  };
}

/** The newest days, also those on which nobody asked. */
async function courseOf(ctx: Ctx, counted: ReleaseStats['days']): Promise<Chart> {
  // The library that draws is loaded for whoever looks.
  const { lineChart } = await import('#platform/charts/index.ts');
  const days = Array.from({ length: PERIOD_DAYS }, (_, at) =>
    addSeconds(ctx.now(), (at + 1 - PERIOD_DAYS) * SECONDS_PER_DAY).slice(0, 10),
  );
  const byDay = new Map(counted.map((one) => [one.day, one]));
  const values = (name: 'checks' | 'offers' | 'downloads') => days.map((day) => byDay.get(day)?.[name] ?? 0);
  return lineChart({
    id: 'chart-adoption',
    title: `Checks, offers and downloads of ${PERIOD_DAYS} days`,
    unit: 'per day',
    days,
    series: [
      { label: 'Checks', values: values('checks') },
      { label: 'Offers', values: values('offers') },
      { label: 'Downloads', values: values('downloads') },
    ],
  });
}
