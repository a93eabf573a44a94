import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { integer, text } from '#kernel/http/fields.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';
import { ReleaseFields } from './schemas.ts';
import { RELEASE_STATES } from './states.ts';

const hex = (length: number) =>
  text({ min: length, max: length, form: { pattern: /^[0-9a-f]+$/, says: 'lower-case hex characters' } });
const base64 = () =>
  text({ min: 88, max: 88, form: { pattern: /^[A-Za-z0-9+/]{86}==$/, says: '64 bytes in base64' } });

/** Releases (licensing section 8.4). Times are ISO 8601 UTC with milliseconds. */
export const releaseRecord = record(
  'license_releases',
  {
    id: column.id(ids.release),
    tenantId: tenantColumn(),
    productId: column.id(ids.product).references('license_products'),
    /** Semver 2.0 without a leading v. */
    version: column.form(ReleaseFields.version),
    channel: column.choice(RELEASE_CHANNELS),
    platform: column.form(ReleaseFields.platform),
    arch: column.form(ReleaseFields.arch),
    state: column.choice(RELEASE_STATES),
    changelog: column.form(ReleaseFields.changelog),
    bundleFilename: column.text(255).nullable(),
    bundleSize: column.integer(1).nullable(),
    /** Lower-case hex. */
    bundleSha256: column.form(hex(64)).nullable().references('license_bundles'),
    /** Base64. */
    bundleSha512: column.form(base64()).nullable(),
    /** Base64, 88 characters (D96). */
    signature: column.form(base64()).nullable(),
    keyId: column.form(hex(16)).nullable(),
    /**
     * What other updaters check: `tauri` is the content of a Tauri `.sig` file (licensing 6.12), `sparkle` base64 over
     * the bytes themselves.
     */
    extraSignatures: column.json(() => ReleaseFields.extra).nullable(),
    /** `release/<P>` (licensing 6.3). */
    statement: column.text(4000).nullable(),
    statementSignature: column.form(base64()).nullable(),
    sequence: column.integer(0).nullable(),
    /** What it had on the channels that it was promoted from: clients remember it (6.3). */
    formerSequences: column.json(() => z.partialRecord(z.enum(RELEASE_CHANNELS), integer(0))).nullable(),
    statementExpiresAt: column.time().nullable(),
    isCritical: column.flag(),
    requiresMigration: column.flag(),
    minFromVersion: column.form(ReleaseFields.version).nullable(),
    requiredEntitlements: column.texts(bounds.featureCode.max, 50),
    /** Basis points, 0 to 10,000. */
    rolloutBps: column.integer(0, 10_000),
    rolloutPaused: column.flag(),
    rolloutSchedule: column.json(() => ReleaseFields.schedule).nullable(),
    /** In the future: published, and offered from then on. */
    publishedAt: column.time().nullable(),
    /** Stays when it is withdrawn. */
    archivedAt: column.time().nullable(),
    yankedAt: column.time().nullable(),
    yankedReason: column.text(bounds.reason).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    natural: ['productId', 'version', 'platform', 'arch'],
    contradiction: ({ state, bundleSize, bundleSha256, bundleSha512, signature, publishedAt, ...row }) => {
      const bundle = [bundleSize, bundleSha256, bundleSha512].filter((part) => part !== null).length;
      if (bundle !== 0 && bundle !== 3) return 'bundleSize, bundleSha256 and bundleSha512 belong together';
      if ((row.statement === null) !== (row.statementSignature === null))
        return 'statement and statementSignature belong together';
      const whole = bundle === 3 && signature !== null && publishedAt !== null;
      return state === 'DRAFT' || whole
        ? null
        : `a ${state} release has a bundle, a signature and publishedAt`;
    },
  },
);
