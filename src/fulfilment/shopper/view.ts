import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES, LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import type { OwnMachine } from '#licensing/licenses/machines/index.ts';
import type { OwnRelease } from '#licensing/releases/updates/index.ts';
import type { OwnLicense } from './owned.ts';

const maybe = () => z.string().nullable();

const card = () => ({
  id: z.string(),
  product: z.string(),
  key_masked: z.string().describe('Start of the key; only `reveal` shows the full key'),
  status: z.enum(LICENSE_STATUSES),
  type: z.enum(LICENSE_TYPES),
  tier: z.enum(LICENSE_TIERS),
  valid_until: maybe().describe('null: never expires'),
  activations_used: count(),
  max_activations: count(),
  order_number: maybe(),
  actions: z.object({ can_reveal: z.boolean(), can_download: z.boolean() }),
});

/** A license as its customer sees it: never with the whole key. */
export const LicenseCardView = later(() => z.object(card()).meta({ id: 'LicenseCard' }));

export const licenseCardView = ({
  card: one,
  orderNumber,
}: OwnLicense): z.output<typeof LicenseCardView> => ({
  id: one.id,
  product: one.product.name,
  key_masked: one.keyMasked,
  status: one.status,
  type: one.type,
  tier: one.tier,
  valid_until: one.validUntil,
  activations_used: one.activationsUsed,
  max_activations: one.maxActivations,
  order_number: orderNumber,
  actions: { can_reveal: one.status !== 'REVOKED', can_download: one.status === 'ACTIVE' },
});

/** A machine that uses a license. */
export const OwnMachineView = later(() =>
  z
    .object({
      id: z.string(),
      machine_name: maybe(),
      machine_id_masked: z.string(),
      os: maybe(),
      activated_at: z.string(),
      last_seen_at: z.string(),
    })
    .meta({ id: 'OwnMachine' }),
);

export const ownMachineView = (one: OwnMachine): z.output<typeof OwnMachineView> => ({
  id: one.id,
  machine_name: one.machineName,
  machine_id_masked: one.machineIdMasked,
  os: one.os,
  activated_at: one.activatedAt,
  last_seen_at: one.lastSeenAt,
});

export const OwnLicenseView = later(() =>
  z
    .object({
      ...card(),
      uses: z.object({ used: count(), max: count() }).nullable().describe('null: uses are not counted'),
      activations: z.array(OwnMachineView),
    })
    .meta({ id: 'OwnLicense' }),
);

export const ownLicenseView = (
  own: OwnLicense,
  machines: readonly OwnMachine[],
): z.output<typeof OwnLicenseView> => ({
  ...licenseCardView(own),
  uses: own.card.maxUses === null ? null : { used: own.card.currentUses, max: own.card.maxUses },
  activations: machines.map(ownMachineView),
});

/** A release that a license opens. */
export const OwnReleaseView = later(() =>
  z
    .object({
      release_id: z.string(),
      version: z.string(),
      channel: z.string(),
      platform: maybe(),
      arch: maybe(),
      file_name: z.string(),
      size: count().describe('Bytes'),
      sha256: z.string().describe('Lowercase hex'),
      signature: z.string().describe('Ed25519 over the SHA-256 of the file, base64'),
      key_id: z.string(),
      published_at: z.string(),
      changelog: z.string(),
    })
    .meta({ id: 'OwnRelease' }),
);

export const ownReleaseView = (one: OwnRelease): z.output<typeof OwnReleaseView> => ({
  release_id: one.releaseId,
  version: one.version,
  channel: one.channel,
  platform: one.platform,
  arch: one.arch,
  file_name: one.filename,
  size: one.sizeBytes,
  sha256: one.sha256,
  signature: one.signature,
  key_id: one.keyId,
  published_at: one.publishedAt,
  changelog: one.changelog,
});
