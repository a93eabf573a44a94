import * as z from 'zod/mini';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { decodeBase64, SIGNATURE_BYTES, type SigningKey, verify } from '#kernel/ed25519.ts';
import type { BundleDigest } from './bundle-digest.ts';
import { ARCHITECTURES, archNamed, PLATFORMS, platformNamed } from './targets.ts';

export const CHANNELS = ['stable', 'rc', 'beta', 'alpha', 'nightly'] as const;

/** Semantic version 2.0, without a leading v. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const matching = (form: RegExp, max: number, says: string) =>
  z.string().check(z.maxLength(max), z.regex(form, `expected ${says}`));
const version = () => matching(SEMVER, 100, 'a semantic version such as 2.1.0');
/** By its name or an alias; what is signed is the name, as the release has it. */
const target = (named: (name: string) => string | null, known: readonly string[]) =>
  z._default(
    z.pipe(
      z.string(),
      z.transform((text, issues) => {
        const name = named(text);
        if (name !== null) return name;
        issues.issues.push({ code: 'custom', message: `expected one of ${known.join(', ')}`, input: text });
        return z.NEVER;
      }),
    ),
    '',
  );

/** What the signer says about a release beside the bytes of its bundle. `platform` and `arch`: empty = any. */
export const StatementInput = z.object({
  product: matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, 63, 'a product slug'),
  version: version(),
  channel: z._default(z.enum(CHANNELS), 'stable'),
  platform: target(platformNamed, PLATFORMS),
  arch: target(archNamed, ARCHITECTURES),
  /** Strictly rising within product, channel, platform and arch; null takes the time of signing in Unix seconds. */
  sequence: z._default(z.nullable(z.int().check(z.minimum(0))), null),
  statementDays: z._default(z.int().check(z.minimum(1), z.maximum(3650)), 400),
  isCritical: z._default(z.boolean(), false),
  requiresMigration: z._default(z.boolean(), false),
  minFromVersion: z._default(z.nullable(version()), null),
});
export type StatementInput = z.infer<typeof StatementInput>;

/** Payload of a release statement (licensing 6.3). */
const Statement = z.object({
  v: z.literal(1),
  product: z.string(),
  channel: z.string(),
  platform: z.string(),
  arch: z.string(),
  version: z.string(),
  sha256: z.string(),
  size: z.int(),
  sequence: z.int(),
  isCritical: z.boolean(),
  requiresMigration: z.boolean(),
  minFromVersion: z.nullable(z.string()),
  kid: z.string(),
  issuedAt: z.string(),
  expiresAt: z.string(),
});
export type Statement = z.infer<typeof Statement>;

/**
 * Writes and signs a release statement (licensing 6.3): it binds the bundle to product, version and channel.
 *
 * @param now ISO 8601 UTC
 * @returns `release/<P>` and the base64 signature over those ASCII bytes
 */
export function signStatement(
  input: StatementInput,
  digest: BundleDigest,
  key: SigningKey,
  now: string,
): { statement: string; statementSignature: string } {
  const { sequence, statementDays, ...release } = input;
  const payload: Statement = {
    v: 1,
    ...release,
    sha256: digest.sha256.toString('hex'),
    size: digest.size,
    sequence: sequence ?? Math.floor(Date.parse(now) / 1000),
    kid: key.keyId,
    issuedAt: now,
    expiresAt: addSeconds(now, statementDays * SECONDS_PER_DAY),
  };
  const statement = `release/${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return { statement, statementSignature: key.sign(Buffer.from(statement, 'ascii')).toString('base64') };
}

/**
 * Reads a statement without believing it: only openStatement checks the signature.
 *
 * @returns null when the form is bad
 */
export function readStatement(statement: string): Statement | null {
  if (!/^release\/[A-Za-z0-9_-]+$/.test(statement)) return null;
  try {
    const payload = Buffer.from(statement.slice('release/'.length), 'base64url').toString('utf8');
    return Statement.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

/**
 * Reads a statement after checking its signature over the received text (licensing 6.1).
 *
 * @param publicKey 32 raw bytes
 * @returns null when the signature or the form is bad
 */
export function openStatement(statement: string, signature: string, publicKey: Buffer): Statement | null {
  try {
    const bytes = decodeBase64(signature, SIGNATURE_BYTES);
    return verify(publicKey, Buffer.from(statement, 'ascii'), bytes) ? readStatement(statement) : null;
  } catch {
    return null;
  }
}
