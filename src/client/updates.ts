// checkForUpdate (licensing.md 6.3, 7.3).
import { randomText } from './bytes.ts';
import type { Channel } from './channels.ts';
import { CHANNELS, isChannel } from './channels.ts';
import type { Core } from './core.ts';
import { downloadUpdate } from './download.ts';
import { createFreshness, type Freshness, isFresh } from './freshness.ts';
import { judgeOffer, offerIn } from './release-offer.ts';
import { parseVersion, type Version } from './semver.ts';
import { createSequences, type Sequences } from './sequences.ts';
import { isFlag, isText, maybe, need } from './shape.ts';
import type { LicenseClient, UpdateOffer } from './types.ts';

/** The server takes no more of them. */
const MOST_KEY_IDS = 10;

export type Updates = Pick<LicenseClient, 'checkForUpdate' | 'downloadUpdate'>;

/** What looking for updates works with. */
interface Parts {
  core: Core;
  sequences: Sequences;
  freshness: Freshness;
  /** The release that was told last. */
  told: string | null;
}

export function createUpdates(core: Core): Updates {
  const sequences = createSequences(core.store);
  const parts: Parts = { core, sequences, freshness: createFreshness(core), told: null };
  const judge = async (offer: UpdateOffer) => judgeOffer(await questionOf(parts), offer);
  return {
    async checkForUpdate({ channel = core.settings.updates.channel, signal } = {}) {
      if (!isChannel(channel)) throw new TypeError(`the channel must be one of ${CHANNELS.join(', ')}`);
      const installed = installedOf(core);
      await core.ready();
      await core.clock.isSuspect();
      await parts.freshness.load();
      try {
        return await check(parts, channel, installed, signal);
      } finally {
        // Also who is never answered must learn that he is cut off.
        await parts.freshness.tell();
      }
    },
    async downloadUpdate(offer, sink, options = {}) {
      await downloadUpdate({ core, judge, installed: () => installedOf(core).text }, offer, sink, options);
    },
  };
}

interface Installed extends Version {
  /** As it is sent. */
  text: string;
}

/** @throws TypeError when the options are not enough to look for updates */
function installedOf({ settings: { appVersion, roots } }: Core): Installed {
  const text = (appVersion ?? '').replace(/^v/, '');
  const version = parseVersion(text);
  if (version === null) throw new TypeError('updates need appVersion, a semantic version such as 2.1.0');
  if (roots.size === 0) throw new TypeError('updates need at least one root key');
  return { ...version, text };
}

/** What an offer is judged against at this moment. */
async function questionOf({ core, sequences }: Parts) {
  const { settings, clock } = core;
  await core.ready();
  await clock.isSuspect();
  await sequences.load();
  return { settings, installed: installedOf(core), sequences, now: clock.latest() };
}

async function check(
  parts: Parts,
  channel: Channel,
  { text: version }: Installed,
  signal: AbortSignal | undefined,
): Promise<UpdateOffer | null> {
  const { core, freshness } = parts;
  const nonce = randomText(16);
  const query = await queryOf(core, channel, version);
  const licenseKey = core.identity.licenseKey()?.trim() ?? '';
  const asker = [licenseKey, query.key_ids, query.machine_id].join('\n');
  const { body } = await core.calls.checkUpdate(query, nonce, signal);
  const found = need(body, 'update_available', isFlag) ? offerIn(body, channel) : null;
  const judged = found === null ? null : await judgeOffer(await questionOf(parts), found);
  const offer = judged?.offer ?? null;
  const question = { nonce, channel, version, asker, offer };
  const fresh = await isFresh(core, maybe(body, 'timestamp_token', isText), question);
  if (fresh) await freshness.note();
  if (offer === null) return null;
  await judged?.note();
  const told = { ...offer, fresh };
  if (parts.told !== offer.releaseId) core.events.emit('update', told);
  parts.told = offer.releaseId;
  return told;
}

async function queryOf({ settings }: Core, channel: Channel, version: string) {
  const { platform, arch } = settings.updates;
  const keyIds = (await settings.roots.ids()).slice(0, MOST_KEY_IDS);
  return {
    current_version: version,
    channel,
    platform,
    arch,
    machine_id: settings.machine.id,
    key_ids: keyIds.join(','),
  };
}
