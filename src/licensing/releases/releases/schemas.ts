/** Input of the use cases on releases (licensing 4.2, Releases). */

import parse from 'semver/functions/parse.js';
import { z } from 'zod';
import { flag, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { ARCHITECTURES, archNamed, PLATFORMS, platformNamed } from '#signing/releases/targets.ts';
import { toBps } from './rollout.ts';

const CHANGELOG = 50_000;
const ENTITLEMENTS = 50;
const STEPS = 20;
const STATEMENT = 4000;
const TAURI_SIGNATURE = 4000;

/** Semver 2.0 as it is stored: no leading v, no blanks. */
export const versionField = () =>
  text({ min: 1, max: 100 }).check((checked) => {
    // The parser forgives a leading v and blanks, which would make two texts of one version.
    const plain = /^\d[0-9A-Za-z.+-]*$/.test(checked.value);
    if (!plain || parse(checked.value) === null) {
      report(checked, 'invalid_format', 'must be a semantic version such as 2.1.0');
    }
  });

/** A platform by its name or an alias; the result is the name (6.7). */
export const platformField = () => targetField(platformNamed, PLATFORMS);
/** A processor by its name or an alias; the result is the name (6.7). */
export const archField = () => targetField(archNamed, ARCHITECTURES);

const targetField = (named: (name: string) => string | null, known: readonly string[]) =>
  text({ max: 20 })
    .check((checked) => {
      const name = named(checked.value);
      if (name === null)
        report(checked, 'invalid_value', `must be one of ${known.join(', ')}, or empty for any`);
      else checked.value = name;
    })
    .meta({ description: `One of ${known.join(', ')}, or empty for any` });

/** 0 to 100 with at most two decimals. */
const percentField = () =>
  z
    .number({ error: 'must be a number' })
    .min(0, { error: 'must be at least 0' })
    .max(100, { error: 'must be at most 100' })
    .check((checked) => {
      if (Math.abs(checked.value * 100 - toBps(checked.value)) > 1e-6)
        report(checked, 'invalid_format', 'must have at most two decimals');
    });

const scheduleField = () =>
  z
    .array(z.strictObject({ at: timestamp(), percent: percentField() }))
    .max(STEPS)
    .check((checked) => {
      const times = checked.value.map(({ at }) => at);
      if (times.some((at, place) => place > 0 && at <= (times[place - 1] as string)))
        report(checked, 'order', 'must be in ascending order of time');
    });

const shape = {
  version: versionField(),
  channel: oneOf(RELEASE_CHANNELS),
  platform: platformField(),
  arch: archField(),
  changelog: text({ max: CHANGELOG }),
  isCritical: flag(),
  requiresMigration: flag(),
  minFromVersion: versionField(),
  requiredEntitlements: z.array(text(bounds.featureCode)).max(ENTITLEMENTS),
  rolloutPercent: percentField(),
};

/**
 * Input that creates a draft. Left out: channel stable, any platform and processor, no changelog, not critical, no
 * migration, from every version, no entitlement, offered to everybody.
 */
export const ReleaseCreate = later(() =>
  z.strictObject({
    productId: text({ min: 1, max: 63 }),
    version: shape.version,
    channel: optional(shape.channel),
    platform: optional(shape.platform),
    arch: optional(shape.arch),
    changelog: optional(shape.changelog),
    isCritical: optional(shape.isCritical),
    requiresMigration: optional(shape.requiresMigration),
    minFromVersion: optional(shape.minFromVersion),
    requiredEntitlements: optional(shape.requiredEntitlements),
    rolloutPercent: optional(shape.rolloutPercent),
  }),
);
export type ReleaseCreateInput = z.input<typeof ReleaseCreate>;

/** Input that changes a release: absent leaves a field, null clears minFromVersion. */
export const ReleaseUpdate = later(() =>
  z.strictObject({ ...shape, minFromVersion: shape.minFromVersion.nullable() }).partial(),
);
export type ReleaseUpdateInput = z.input<typeof ReleaseUpdate>;

const signatureField = () =>
  text({
    min: 88,
    max: 88,
    form: { pattern: /^[A-Za-z0-9+/]{86}==$/, says: '64 bytes in base64, 88 characters' },
  });

const statementField = () =>
  text({
    min: 1,
    max: STATEMENT,
    form: {
      pattern: /^release\/[A-Za-z0-9_-]+$/,
      says: 'release/ and base64url, as written by release sign',
    },
  });

/** A statement and its signature: both or neither. */
const statementFields = {
  statement: optional(statementField()),
  statementSignature: optional(signatureField()),
};

const belongTogether = <
  T extends { statement?: string | undefined; statementSignature?: string | undefined },
>(
  schema: z.ZodType<T>,
) =>
  schema.check((checked) => {
    const { statement, statementSignature } = checked.value;
    if ((statement === undefined) !== (statementSignature === undefined))
      report(checked, 'incomplete', 'statement and statementSignature belong together', ['statement']);
  });

const ExtraSignatures = later(() =>
  z.strictObject({
    tauri: optional(
      text({
        min: 1,
        max: TAURI_SIGNATURE,
        form: { pattern: /^[A-Za-z0-9+/]+={0,2}$/, says: 'base64, the content of a Tauri .sig file' },
      }),
    ),
    sparkle: optional(signatureField()),
  }),
);

/** What `release sign` made, without what the server knows itself. */
export const SignatureInput = later(() =>
  z.strictObject({
    signature: signatureField(),
    keyId: optional(
      text({ min: 16, max: 16, form: { pattern: /^[0-9a-f]{16}$/, says: '16 hex characters' } }),
    ),
    ...statementFields,
    extra: optional(ExtraSignatures),
  }),
);
export const CheckedSignature = belongTogether(SignatureInput);
export type SignatureSent = z.input<typeof SignatureInput>;

export const PublishInput = later(() =>
  z.strictObject({
    at: optional(timestamp()),
    rolloutPercent: optional(percentField()),
  }),
);
export type PublishSent = z.input<typeof PublishInput>;

export const PromoteInput = z.strictObject({ channel: oneOf(RELEASE_CHANNELS), ...statementFields });
export const CheckedPromotion = belongTogether(PromoteInput);
export type PromoteSent = z.input<typeof PromoteInput>;

export const RenewalInput = later(() =>
  z.strictObject({
    statement: statementField(),
    statementSignature: signatureField(),
  }),
);
export type RenewalSent = z.input<typeof RenewalInput>;

/** What a row from another installation may hold: no more than the service itself would take. */
export const ReleaseFields = {
  version: shape.version,
  platform: shape.platform,
  arch: shape.arch,
  changelog: shape.changelog,
  extra: ExtraSignatures,
  schedule: scheduleField(),
};

/** A percent that is sent without a schedule ends the schedule: what was set by hand must not move by itself. */
export const RolloutInput = later(() =>
  z.strictObject({
    percent: optional(percentField()),
    schedule: optional(scheduleField()),
    paused: optional(flag()),
  }),
);
export type RolloutSent = z.input<typeof RolloutInput>;

export const YankInput = z.strictObject({ reason: text({ min: 1, max: bounds.reason }) });
