import { systemClock } from '#kernel/clock.ts';
import { card } from '../card.ts';
import type { Paint } from '../frame/io.ts';
import { sizeText } from '../frame/progress.ts';
import type { Column } from '../frame/rows.ts';
import { humanTime } from '../frame/times.ts';
import type { DeskRelease } from './twin.ts';

/** A release as the command line shows it (cli.md section 2). */
export type ReleaseView = ReturnType<typeof releaseView>;

/** The fields of `Release`; `yankedReason` only of one that was withdrawn. */
export function releaseView(release: DeskRelease) {
  const { bundleSha512, extra, statement, statementSignature, sequence, statementExpiresAt, ...rest } =
    release;
  const { requiredEntitlements, yankedAt, createdAt, updatedAt, yankedReason, ...shown } = rest;
  const { schedule, ...rollout } = release.rollout;
  return { ...shown, rollout, ...(yankedReason !== null && { yankedReason }) };
}

/** `windows x64`, `any` for a release that runs everywhere. */
const targetText = ({ platform, arch }: Pick<DeskRelease, 'platform' | 'arch'>): string =>
  [platform, arch].filter((part) => part !== '').join(' ') || 'any';

/** How a message names a release: `editor 2.1.0 (windows x64)`. */
export function releaseName(release: Pick<DeskRelease, 'product' | 'version' | 'platform' | 'arch'>): string {
  const target = release.platform === '' && release.arch === '' ? '' : ` (${targetText(release)})`;
  return `${release.product} ${release.version}${target}`;
}

/** Columns of a list of releases. */
export const releaseColumns: readonly Column<ReleaseView>[] = [
  { key: 'id' },
  { key: 'product' },
  { key: 'version' },
  { key: 'channel' },
  { key: 'platform', title: 'target', text: targetText },
  { key: 'state' },
  {
    key: 'rollout.effectivePercent',
    title: 'rollout',
    align: 'right',
    text: ({ rollout }) => `${rollout.effectivePercent}%`,
  },
  {
    key: 'bundleSize',
    title: 'size',
    align: 'right',
    text: ({ bundleSize }) => (bundleSize === null ? '' : sizeText(bundleSize)),
  },
  { key: 'publishedAt', title: 'published', time: true },
];

/** A release for a person. Pass it as `human` to `cli.out.value`. */
export function releaseCard(release: DeskRelease): (paint: Paint) => string {
  const { bundleFilename, bundleSize, rollout } = release;
  return card([
    ['release', release.id],
    ['product', release.product],
    ['version', release.version],
    ['channel', release.channel],
    ['target', targetText(release)],
    ['state', release.state],
    ['bundle', bundleFilename === null ? null : `${bundleFilename}, ${sizeText(bundleSize ?? 0)}`],
    ['sha256', release.bundleSha256],
    ['key', release.keyId],
    ['signature', release.signature],
    ['statement until', release.statementExpiresAt],
    ['sequence', release.sequence],
    ['critical', release.isCritical ? 'yes' : null],
    ['migration', release.requiresMigration ? 'yes' : null],
    ['from version', release.minFromVersion],
    ['needs', release.requiredEntitlements],
    ['rollout', rolloutText(rollout)],
    ...rollout.schedule.map(({ at, percent }): [string, string] => [
      'scheduled',
      `${percent}% from ${humanTime(at, systemClock.epochMs())}`,
    ]),
    ['published', release.publishedAt],
    ['withdrawn', release.yankedReason],
    ['changes', release.changelog === '' ? null : release.changelog],
  ]);
}

function rolloutText({ percent, effectivePercent, paused }: DeskRelease['rollout']): string {
  const now = effectivePercent === percent ? `${percent}%` : `${effectivePercent}% now, ${percent}% at least`;
  return paused ? `${now}, paused` : now;
}
