import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { SignedRelease } from './queries.ts';

/** What leads clients that know only the old key to the new one, and whom nothing leads (decision 0026). */
export interface Bridges {
  /** Offered releases that the old key signed since the new one is known: their applications can embed both. */
  readonly releases: readonly SignedRelease[];
  /** Platform and processor of releases that no bridge follows, as `windows/x86_64`, or `any platform`. */
  readonly stranded: readonly string[];
}

/** What a client of a channel is offered: that channel and every one before it. */
const RANKS: Readonly<Record<ReleaseChannel, number>> = { stable: 0, rc: 1, beta: 2, alpha: 3, nightly: 4 };

/**
 * Judges whether clients that know only the old key can follow to the new one.
 *
 * @param signed what the old key signed and clients were offered
 * @param since when the new key became known, ISO 8601 UTC: nothing older can embed it
 */
export function bridgesOf(signed: readonly SignedRelease[], since: string): Bridges {
  const releases = signed.filter(({ isOffered, publishedAt }) => isOffered && publishedAt >= since);
  const before = signed.filter(({ publishedAt }) => publishedAt < since);
  const stranded = before.filter((release) => !releases.some((bridge) => leads(bridge, release)));
  return { releases, stranded: [...new Set(stranded.map(placeOf))] };
}

/** Whether who runs a release is offered the bridge. */
const leads = (bridge: SignedRelease, from: SignedRelease): boolean =>
  RANKS[bridge.channel] <= RANKS[from.channel] &&
  ['', from.platform].includes(bridge.platform) &&
  ['', 'universal', from.arch].includes(bridge.arch);

const placeOf = ({ platform, arch }: SignedRelease): string =>
  [platform, arch].filter((name) => name !== '').join('/') || 'any platform';

/** @throws AppError CONFLICT with `details.reason` NO_BRIDGING_RELEASE when clients would be left behind */
export function requireBridges(
  { stranded }: Bridges,
  keys: { slug: string; old: string; next: string },
): void {
  if (stranded.length === 0) return;
  throw fail(
    'CONFLICT',
    `no published release leads clients that know only the key ${keys.old} to ${keys.next} (${stranded.join(', ')})`,
    {
      details: {
        reason: 'NO_BRIDGING_RELEASE',
        oldKeyId: keys.old,
        keyId: keys.next,
        stranded,
        hint: `publish a version that embeds both public keys, signed by ${keys.old}: appctl release ship FILE --product ${keys.slug} --version V --key OLD.key; or add --strand-old-clients to give up the clients that know only the old key`,
      },
    },
  );
}
