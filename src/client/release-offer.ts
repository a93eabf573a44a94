// An offered release, and whether it may be installed (licensing.md 6.3).

import type { Channel } from './channels.ts';
import { takesChannel } from './channels.ts';
import { ClientError } from './errors.ts';
import type { Settings } from './options.ts';
import { isBundleSigned, openStatement } from './release-signatures.ts';
import { compareVersions, parseVersion, type Version } from './semver.ts';
import type { Sequences } from './sequences.ts';
import { either, isCount, isFlag, isInstant, isNull, isText, type JsonObject, maybe, need } from './shape.ts';
import type { UpdateOffer } from './types.ts';

/** Payload of a release statement. */
interface Statement {
  product: string;
  channel: string;
  platform: string;
  arch: string;
  version: string;
  sha256: string;
  size: number;
  sequence: number;
  isCritical: boolean;
  requiresMigration: boolean;
  minFromVersion: string | null;
  /** Unix milliseconds, exclusive. */
  expiresAt: number;
}

/** What an offer is judged against. */
export interface OfferQuestion {
  settings: Settings;
  installed: Version;
  sequences: Sequences;
  /** The highest time that is known, Unix milliseconds: a clock that was set back revives no statement. */
  now: number;
}

/**
 * The offer of an answer, as the server tells it: `statement` and `fresh` are still to be judged.
 *
 * @throws ClientError BAD_RESPONSE
 */
export function offerIn(body: JsonObject, channel: Channel): UpdateOffer {
  const text = maybe(body, 'statement', isText);
  const sha256 = need(body, 'sha256', isText).toLowerCase();
  const version = need(body, 'version', isText);
  if (!/^[0-9a-f]{64}$/.test(sha256) || parseVersion(version) === null) {
    throw new ClientError('BAD_RESPONSE', 'the offered release has no usable version or SHA-256');
  }
  return {
    releaseId: need(body, 'release_id', isText),
    version,
    changelog: maybe(body, 'changelog', isText) ?? '',
    bundleSize: need(body, 'bundle_size', isCount),
    sha256,
    signature: need(body, 'signature', isText),
    isCritical: need(body, 'is_critical', isFlag),
    requiresMigration: need(body, 'requires_migration', isFlag),
    publishedAt: need(body, 'published_at', isInstant),
    sequence: maybe(body, 'sequence', isCount) ?? null,
    statement: 'absent',
    fresh: false,
    channel,
    signedStatement:
      text === undefined ? null : { text, signature: maybe(body, 'statement_signature', isText) ?? '' },
  };
}

/** An offer that may be installed. */
export interface JudgedOffer {
  offer: UpdateOffer;
  /** Notes its sequence; does nothing for an offer without a statement. */
  note(): Promise<void>;
}

/**
 * Judges an offer by what a root key has signed. Nothing that the offer says about itself is believed, so one that was
 * kept, sent to another process or made by somebody else is judged alike.
 *
 * @throws ClientError BAD_RESPONSE, ROLLBACK, STATEMENT_INVALID, STATEMENT_MISMATCH, STATEMENT_EXPIRED,
 *   SIGNATURE_INVALID; NoEd25519Error
 */
export async function judgeOffer(question: OfferQuestion, offer: UpdateOffer): Promise<JudgedOffer> {
  const { settings, installed, sequences } = question;
  const version = parseVersion(String(offer.version));
  if (version === null || !isCount(offer.bundleSize)) {
    throw new ClientError('BAD_RESPONSE', 'the offer has no usable version or size');
  }
  if (compareVersions(version, installed) <= 0) {
    throw new ClientError('ROLLBACK', `version ${offer.version} is not newer than the installed one`);
  }
  const statement = await statementOf(question, offer);
  if (!(await isBundleSigned(settings, offer.sha256, offer.signature))) {
    throw new ClientError('SIGNATURE_INVALID', 'the bundle is not signed by a known key');
  }
  if (statement === null) {
    return {
      offer: { ...offer, sequence: null, statement: 'absent' },
      note: () => Promise.resolve(),
    };
  }
  const { sequence } = statement;
  return {
    offer: {
      ...offer,
      sequence,
      statement: 'verified',
      // What is signed holds even where the server keeps quiet about it.
      isCritical: offer.isCritical || statement.isCritical,
      requiresMigration: offer.requiresMigration || statement.requiresMigration,
    },
    note: () => sequences.note(lineOf(statement), { sequence, version: statement.version }),
  };
}

const lineOf = ({ channel, platform, arch }: Statement): string => `${channel}/${platform}/${arch}`;

/** @returns null for an offer without a statement, where that is allowed */
async function statementOf(question: OfferQuestion, offer: UpdateOffer): Promise<Statement | null> {
  const { settings, sequences, now } = question;
  const { signedStatement } = offer;
  if (signedStatement === null || signedStatement === undefined) {
    if (!settings.updates.requireStatement) return null;
    throw new ClientError(
      'STATEMENT_INVALID',
      'the release has no signed statement; updates.requireStatement: false takes it nevertheless',
    );
  }
  const { text, signature } = signedStatement;
  const statement = claimsOf(await openStatement(settings, text, signature));
  refuseForeign(question, offer, statement);
  const differs =
    statement.version !== offer.version ||
    statement.sha256 !== offer.sha256 ||
    statement.size !== offer.bundleSize ||
    (offer.sequence !== null && statement.sequence !== offer.sequence);
  if (differs) {
    throw new ClientError(
      'STATEMENT_MISMATCH',
      'the offered release is not the one that its statement names',
    );
  }
  if (sequences.isBehind(lineOf(statement), statement)) {
    throw new ClientError(
      'ROLLBACK',
      'another release of this channel, with no lower sequence, was offered before',
    );
  }
  if (now >= statement.expiresAt) {
    throw new ClientError('STATEMENT_EXPIRED', 'the statement of the release has expired');
  }
  return statement;
}

/** @throws ClientError STATEMENT_INVALID for what no signer of releases writes */
function claimsOf(payload: JsonObject): Statement {
  try {
    return {
      product: need(payload, 'product', isText),
      channel: need(payload, 'channel', isText),
      platform: need(payload, 'platform', isText),
      arch: need(payload, 'arch', isText),
      version: need(payload, 'version', isText),
      sha256: need(payload, 'sha256', isText),
      size: need(payload, 'size', isCount),
      sequence: need(payload, 'sequence', isCount),
      isCritical: need(payload, 'isCritical', isFlag),
      requiresMigration: need(payload, 'requiresMigration', isFlag),
      minFromVersion: need(payload, 'minFromVersion', either(isText, isNull)),
      expiresAt: Date.parse(need(payload, 'expiresAt', isInstant)),
    };
  } catch (error) {
    throw new ClientError('STATEMENT_INVALID', 'the release statement has an unknown form', error);
  }
}

/** @throws ClientError STATEMENT_INVALID for a statement about a release that is not for this installation */
function refuseForeign(
  { settings, installed }: OfferQuestion,
  { channel }: UpdateOffer,
  statement: Statement,
): void {
  const { platform, arch } = settings.updates;
  const from = statement.minFromVersion === null ? installed : parseVersion(statement.minFromVersion);
  const foreign = [
    statement.product !== settings.product && `is for the product ${statement.product}`,
    !['', platform].includes(statement.platform) &&
      `is for ${statement.platform}, and this client is for ${platform || 'no platform: see updates.platform'}`,
    !['', arch, 'universal'].includes(statement.arch) &&
      `is for ${statement.arch}, and this client is for ${arch || 'no processor: see updates.arch'}`,
    !takesChannel(channel, statement.channel) && `is of the channel ${statement.channel}`,
    (from === null || compareVersions(installed, from) < 0) &&
      `cannot be installed over a version before ${statement.minFromVersion}`,
  ].find((what) => what !== false);
  if (foreign !== undefined) throw new ClientError('STATEMENT_INVALID', `the release ${foreign}`);
}
