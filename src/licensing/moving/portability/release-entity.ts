import { z } from 'zod';
import { integer, text } from '#kernel/http/fields.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { RELEASE_STATES, ReleaseFields } from '#licensing/releases/releases/index.ts';
import { tenantIds } from '#platform/tenants/index.ts';
import { type Entity, fields } from './entity.ts';

const hex = (length: number) =>
  text({ min: length, max: length, form: { pattern: /^[0-9a-f]+$/, says: 'lower-case hex characters' } });
const base64 = () =>
  text({ min: 88, max: 88, form: { pattern: /^[A-Za-z0-9+/]{86}==$/, says: '64 bytes in base64' } });

/** Metadata and hashes (6.11): the bytes of a bundle stay behind, and are sent again with `release upload`. */
export const releaseEntity: Entity = {
  kind: 'release',
  table: 'license_releases',
  fields: {
    id: fields.id('id', ids.release),
    tenantId: fields.id('tenant_id', tenantIds.tenant),
    productId: fields.id('product_id', ids.product),
    version: fields.form('version', ReleaseFields.version),
    channel: fields.choice('channel', RELEASE_CHANNELS),
    platform: fields.form('platform', ReleaseFields.platform),
    arch: fields.form('arch', ReleaseFields.arch),
    state: fields.choice('state', RELEASE_STATES),
    changelog: fields.form('changelog', ReleaseFields.changelog),
    bundleFilename: fields.textOrNull('bundle_filename', 255),
    bundleSize: fields.integerOrNull('bundle_size', 1),
    bundleSha256: fields.form('bundle_sha256', hex(64).nullable()),
    bundleSha512: fields.form('bundle_sha512', base64().nullable()),
    signature: fields.form('signature', base64().nullable()),
    keyId: fields.form('key_id', hex(16).nullable()),
    extraSignatures: fields.json('extra_signatures', ReleaseFields.extra),
    statement: fields.textOrNull('statement', 4000),
    statementSignature: fields.form('statement_signature', base64().nullable()),
    sequence: fields.integerOrNull('sequence', 0),
    formerSequences: fields.json('former_sequences', z.partialRecord(z.enum(RELEASE_CHANNELS), integer(0))),
    statementExpiresAt: fields.timeOrNull('statement_expires_at'),
    isCritical: fields.flag('is_critical'),
    requiresMigration: fields.flag('requires_migration'),
    minFromVersion: fields.form('min_from_version', ReleaseFields.version.nullable()),
    requiredEntitlements: fields.texts('required_entitlements', bounds.featureCode.max, 50),
    rolloutBps: fields.form('rollout_bps', integer(0, 10_000)),
    rolloutPaused: fields.flag('rollout_paused'),
    rolloutSchedule: fields.json('rollout_schedule', ReleaseFields.schedule),
    publishedAt: fields.timeOrNull('published_at'),
    archivedAt: fields.timeOrNull('archived_at'),
    yankedAt: fields.timeOrNull('yanked_at'),
    yankedReason: fields.textOrNull('yanked_reason', bounds.reason),
    createdAt: fields.time('created_at'),
    updatedAt: fields.time('updated_at'),
  },
  references: { productId: 'product' },
  natural: ['product_id', 'version', 'platform', 'arch'],
  contradiction: ({ state, bundleSize, bundleSha256, bundleSha512, signature, publishedAt, ...row }) => {
    const bundle = [bundleSize, bundleSha256, bundleSha512].filter((part) => part !== null).length;
    if (bundle !== 0 && bundle !== 3) return 'bundleSize, bundleSha256 and bundleSha512 belong together';
    if ((row.statement === null) !== (row.statementSignature === null))
      return 'statement and statementSignature belong together';
    const whole = bundle === 3 && signature !== null && publishedAt !== null;
    return state === 'DRAFT' || whole ? null : `a ${state} release has a bundle, a signature and publishedAt`;
  },
};

/** The bundle that the row of a release names, or null. */
export const bundleOf = (values: Record<string, unknown>): z.output<typeof Bundle> | null => {
  const parsed = Bundle.safeParse({
    sha256: values.bundleSha256,
    sha512: values.bundleSha512,
    size: values.bundleSize,
  });
  return parsed.success ? parsed.data : null;
};

const Bundle = z.object({ sha256: z.string(), sha512: z.string(), size: z.number() });
