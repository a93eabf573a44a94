import { z } from 'zod';
import {
  type Checked,
  count,
  instant,
  oneOf,
  optional,
  report,
  text,
  wantedName,
} from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { machineIdField, nonceField } from '#licensing/contract/fields.ts';
import { archField, platformField } from '../releases/index.ts';
import { parseVersion } from './catalogue.ts';

const MOST_KEY_IDS = 10;
const LONGEST_VERSION = 100;

/** An installed version: semver 2.0, a leading v is dropped (D88). Its length is judged before its form. */
const installedVersionField = () =>
  text({ min: 1, max: LONGEST_VERSION })
    .check((checked: Checked<string>) => {
      if (checked.issues.length > 0) return;
      if (parseVersion(checked.value) === null) {
        report(checked, 'invalid_format', 'must be a semantic version such as 2.1.0');
      } else checked.value = checked.value.replace(/^v/, '');
    })
    .meta({ description: 'A semantic version such as 2.1.0, with or without a leading v' });

const keyIdsField = () =>
  text({
    max: MOST_KEY_IDS * 17 - 1,
    form: {
      pattern: /^[0-9a-f]{16}(?:,[0-9a-f]{16})*$/,
      says: `at most ${MOST_KEY_IDS} ids of keys, of 16 hex digits each, joined by commas`,
    },
  });

const channelField = () => oneOf(RELEASE_CHANNELS);

/** The machine beside the query, as clients send it that cannot change their addresses (6.4). */
export const MachineHeaders = z.object({
  'x-license-key': z.string(),
  'x-machine-id': machineIdField().optional(),
});

export const CheckQuery = later(() =>
  z.object({
    current_version: installedVersionField(),
    channel: channelField().default('stable'),
    platform: optional(platformField()),
    arch: optional(archField()),
    machine_id: optional(machineIdField()),
    key_ids: optional(keyIdsField()),
    nonce: optional(nonceField()),
  }),
);
export type CheckAsked = z.output<typeof CheckQuery>;

const statementShape = {
  /** Of the key that signed the release (D98). */
  key_id: z.string(),
  /** `release/<P>` and its signature (6.3); absent when the release has none. */
  statement: z.string().optional(),
  statement_signature: z.string().optional(),
  sequence: count().optional(),
};

const answerShape = {
  timestamp_token: z.string().optional(),
  /** The license has expired; only critical releases are offered (6.8). */
  lapsed: z.literal(true).optional(),
  nonce: z.string().optional(),
};

/** Reply of check with an update; the surface adds `success`. */
const Offered = later(() =>
  z.object({
    update_available: z.literal(true),
    version: z.string(),
    changelog: z.string(),
    bundle_size: count(),
    sha256: z.string(),
    signature: z.string(),
    is_critical: z.boolean(),
    requires_migration: z.boolean(),
    published_at: instant(),
    release_id: z.string(),
    ...statementShape,
    ...answerShape,
  }),
);

/** Reply of check without one (D87). */
const UpToDate = later(() =>
  z.object({
    update_available: z.literal(false),
    current_version: z.string(),
    channel: z.enum(RELEASE_CHANNELS),
    /** The newest that only maxVersion keeps from the license. */
    newer_version_not_allowed: z.string().optional(),
    ...answerShape,
  }),
);

export const CheckReply = z.union([Offered, UpToDate]).meta({ id: 'UpdateCheck' });
export type CheckAnswer = z.output<typeof CheckReply>;

/**
 * With `current_version` the flags are those of the way from there, as check tells them; `channel`, `platform` and
 * `arch` are the release's own where they are not sent.
 */
export const ManifestQuery = later(() =>
  z.object({
    release_id: wantedName(),
    current_version: optional(installedVersionField()).describe(
      'The installed version: the flags then cover everything between it and the release, as updates/check does',
    ),
    channel: optional(channelField()),
    platform: optional(platformField()),
    arch: optional(archField()),
    nonce: optional(nonceField()),
  }),
);
export type ManifestAsked = z.output<typeof ManifestQuery>;

/** A flag of a release, and what it is about. */
const wayFlag = (what: string) =>
  z
    .boolean()
    .meta({ description: `${what}: the release, or with \`current_version\` anything on the way to it` });

/** Reply of manifest; the surface adds `success`. Without `current_version` the flags are the release's own (D89). */
export const ManifestReply = later(() =>
  z
    .object({
      version: z.string(),
      filename: z.string(),
      size: count(),
      sha256: z.string(),
      signature: z.string(),
      channel: z.enum(RELEASE_CHANNELS),
      is_critical: wayFlag('Critical'),
      requires_migration: wayFlag('Needs a migration'),
      published_at: instant(),
      /** As it was asked; absent when it was not. */
      current_version: z.string().optional(),
      ...statementShape,
      nonce: z.string().optional(),
    })
    .meta({ id: 'UpdateManifest' }),
);
export type ManifestAnswer = z.output<typeof ManifestReply>;

/** `delta` is reserved (D91): the whole bundle is sent, whatever it says. */
export const DownloadQuery = later(() =>
  z.object({
    release_id: wantedName(),
    from_version: optional(installedVersionField()),
  }),
);

export const PUBLIC_KEY_FORMATS = ['pem', 'raw', 'der'] as const;

export const PublicKeyQuery = later(() =>
  z.object({
    product: wantedName(),
    tenant: optional(wantedName()),
    format: oneOf(PUBLIC_KEY_FORMATS).default('pem'),
  }),
);

export type PublicKeyAsked = z.output<typeof PublicKeyQuery>;

export const HostHeaders = z.object({ host: z.string().optional() });

/** Reply of public-key; the surface adds `success` (D95, D98). */
export const PublicKeyReply = later(() =>
  z
    .object({
      public_key: z.string(),
      algorithm: z.literal('Ed25519'),
      key_id: z.string(),
      public_key_raw: z.string(),
      public_key_der: z.string(),
      keys: z.array(
        z.object({
          key_id: z.string(),
          status: z.enum(['ACTIVE', 'NEXT', 'RETIRED']),
          public_key_raw: z.string(),
          created_at: instant(),
          /** When a NEXT key becomes the ACTIVE one. */
          activate_at: instant().optional(),
          /** `continuity/<P>.<S>`: what the key before said of this one (decision 0026). */
          continuity: z.string().optional(),
        }),
      ),
    })
    .meta({ id: 'PublicKeys' }),
);
export type PublicKeyAnswer = z.output<typeof PublicKeyReply>;

export const TauriParams = later(() =>
  z.object({
    product: z.string(),
    channel: channelField(),
    target: platformField(),
    arch: archField(),
    current_version: installedVersionField(),
  }),
);
export type TauriAsked = z.output<typeof TauriParams>;

/** Reply of the Tauri feed (6.12). */
export const TauriReply = later(() =>
  z
    .object({
      version: z.string(),
      url: z.string(),
      signature: z.string(),
      notes: z.string(),
      pub_date: instant(),
    })
    .meta({ id: 'TauriUpdate' }),
);

export const ElectronParams = z.object({
  product: z.string(),
  channel: channelField(),
  file: z.string(),
});
export type ElectronAsked = z.output<typeof ElectronParams>;

export const FileParams = z.object({ release_id: z.string(), filename: z.string() });
