import type { Ctx } from '#kernel/context.ts';
import { sizeText } from '#kernel/size-words.ts';
import { RELEASE_CHANNELS, type ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { machinesOf } from '#licensing/licenses/machines/index.ts';
import { type OwnRelease, publicKeysFor, type ReleaseKey } from '#licensing/releases/updates/index.ts';
import { checkCommands } from '#storefront/buying/downloads/index.ts';
import type { ShopWords } from '#storefront/tools/shop/index.ts';
import { timeIn } from '#storefront/tools/shopping/index.ts';
import type { OwnLicense } from './owned.ts';
import { LICENSES } from './paths.ts';
import { openReleases, WIDEST } from './releases.ts';
import { verifyCommand } from './verify-command.ts';

/** What an address asks for in a language of its own. */
export const asked = (lang: string | undefined, sign = '?'): string =>
  lang === undefined ? '' : `${sign}lang=${encodeURIComponent(lang)}`;

export const licensePath = (id: string): string => `${LICENSES}/${encodeURIComponent(id)}`;

/** What has an end is never called perpetual. */
const typeShown = ({ type, validUntil }: OwnLicense['card']): string =>
  type === 'PERPETUAL' && validUntil !== null ? 'LIMITED' : type;

/** A license in words, without its key. */
export function licenseShown(ctx: Ctx, { card, orderNumber }: OwnLicense, { t, ...words }: ShopWords) {
  const time = timeIn(ctx, { t, ...words }, 'minute');
  const counted = { used: card.activationsUsed, max: card.maxActivations };
  return {
    id: card.id,
    product: card.product.name,
    keyMasked: card.keyMasked,
    status: t(`license.status_${card.status}`),
    why: card.status === 'ACTIVE' ? null : t(`license.why_${card.status}`),
    type: t(`license.type_${typeShown(card)}`),
    tier: t(`license.tier_${card.tier}`),
    until: card.validUntil === null ? null : time(card.validUntil),
    isFloating: card.type === 'FLOATING',
    machines: t(card.type === 'FLOATING' ? 'license.seats_used' : 'license.machines_used', counted),
    usage: card.maxUses === null ? null : { used: card.currentUses, max: card.maxUses },
    isRevoked: card.status === 'REVOKED',
    order: orderNumber && {
      href: `/shop/account/orders/${encodeURIComponent(orderNumber)}`,
      label: t('order.title', { number: orderNumber }),
    },
  };
}

/** The machines that use a license. */
export async function machinesShown(ctx: Ctx, licenseId: string, words: ShopWords) {
  const time = timeIn(ctx, words, 'minute');
  return (await machinesOf(ctx, licenseId)).map((one) => ({
    id: one.id,
    name: one.machineName ?? one.machineIdMasked,
    masked: one.machineIdMasked,
    os: one.os,
    since: time(one.activatedAt),
    seen: time(one.lastSeenAt),
  }));
}

/** Which releases a page shows. */
interface ReleasesAsked {
  readonly channel: ReleaseChannel;
  readonly lang: string | undefined;
  readonly words: ShopWords;
  readonly isRenewable: boolean;
}

/** The key of why a license opens nothing. */
const closedWords = ({ status }: OwnLicense['card'], isRenewable: boolean): string =>
  status === 'EXPIRED' && isRenewable ? 'license.expired_downloads' : 'license.inactive';

/** What a license opens of a channel, and what verifies it; nothing for one that is not active. */
export async function releasesShown(
  ctx: Ctx,
  { card }: OwnLicense,
  { channel, lang, words, isRenewable }: ReleasesAsked,
) {
  const [opened, all] = [await openReleases(ctx, card.id, channel), await openReleases(ctx, card.id, WIDEST)];
  const found = opened ?? [];
  const keys = found.length === 0 ? [] : await publicKeysFor(ctx, card.product.id);
  const time = timeIn(ctx, words, 'day');
  return {
    releases: found.map((one) => ({
      id: one.releaseId,
      version: one.version,
      channel: one.channel,
      platform: [one.platform, one.arch].filter(Boolean).join(' '),
      file: one.filename,
      size: sizeText(one.sizeBytes),
      published: time(one.publishedAt),
      changelog: one.changelog,
      sha256: one.sha256,
      signature: one.signature,
      ...commandsOf(one, keys),
    })),
    noReleases: opened === null ? closedWords(card, isRenewable) : 'license.no_releases',
    channels: RELEASE_CHANNELS.filter(
      (name) => name === channel || all?.some((one) => one.channel === name),
    ).map((name) => ({
      name,
      href: `${licensePath(card.id)}?channel=${name}${asked(lang, '&')}#releases`,
      isCurrent: name === channel,
    })),
  };
}

function commandsOf(release: OwnRelease, keys: readonly ReleaseKey[]) {
  const key = keys.find(({ keyId }) => keyId === release.keyId) ?? null;
  return {
    commands: checkCommands(release.filename, release.sha256),
    publicKey: key?.publicKeyPem ?? null,
    verify: key && verifyCommand(release.filename, release.signature, key.publicKeyPem),
  };
}
