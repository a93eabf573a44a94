import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '#kernel/context.ts';
import { textFault } from '#kernel/http/fields.ts';
import type { StagedObject } from '#kernel/storage/types.ts';
import { publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { bundleStaged, recordBundle, stageBundle } from '../bundles/index.ts';
import { type ChangeOptions, changeRelease } from './change.ts';
import { getUnchanged } from './read.ts';
import { changedMeanwhile, nameOf, refuse, requireDraft } from './refusal.ts';
import type { Release } from './release.ts';
import { requireSignature, requireStatement } from './signed.ts';

const FILENAME = 255;

/** Bytes on their way in, and the name that they are downloaded under; null makes one of product and version. */
export interface BundleSent {
  readonly filename: string | null;
  /** As they come, or as they were received already with a form. */
  readonly source: AsyncIterable<Uint8Array> | StagedObject;
}

/**
 * Receives the bundle of a draft and keeps it. Another bundle than before makes a signature that does not fit go; a
 * signature that came first must fit. For a release that is no draft any more only the very same bytes are taken:
 * they put back a file that was lost, damaged or withdrawn.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a bad name, an empty bundle, or (413) one above the upload limit;
 *   CONFLICT, reason NOT_DRAFT or CHANGED_MEANWHILE; VERIFICATION_FAILED, reason BAD_SIGNATURE or STATEMENT_MISMATCH
 */
export async function attachBundle(
  ctx: Ctx,
  id: string,
  { filename, source }: BundleSent,
  options: ChangeOptions = {},
): Promise<Release> {
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  const name = filename === null ? null : safeFilename(filename);
  const staged = 'keep' in source ? bundleStaged(ctx, source) : await stageBundle(ctx, source);
  try {
    if (staged.size === 0) throw fail('VALIDATION_ERROR', 'the bundle is empty');
    const keptSignature = await judgeSignature(ctx, seen, staged);
    const { location } = await staged.keep();
    return await changeRelease(ctx, id, options, async (ctx, before) => {
      // What the bytes were judged by must still hold.
      if (!isDeepStrictEqual(before, seen)) throw changedMeanwhile(before);
      await recordBundle(ctx, staged, location);
      const signed = keptSignature ? {} : UNSIGNED;
      const after = { ...before, ...signed, ...bundleOf(before, staged, name) };
      const data = { sha256: staged.sha256, size: staged.size };
      // The row of the bundle may have been marked as removed, which no column here shows.
      return { type: 'RELEASE_CHANGED', after, data, always: true };
    });
  } finally {
    await staged.discard();
  }
}

const UNSIGNED = {
  signature: null,
  keyId: null,
  extraSignatures: {},
  statement: null,
  statementSignature: null,
  sequence: null,
  statementExpiresAt: null,
};

const bundleOf = (before: Release, staged: StagedObject, name: string | null): Partial<Release> =>
  before.state === 'DRAFT'
    ? {
        bundleFilename: name ?? before.bundleFilename ?? defaultFilename(before),
        bundleSize: staged.size,
        bundleSha256: staged.sha256,
        bundleSha512: staged.sha512,
      }
    : {};

const defaultFilename = ({ productSlug, version, platform, arch }: Release): string =>
  `${[productSlug, version, platform, arch].filter((part) => part !== '').join('-')}.bin`;

/** @returns whether the signature that the release has stays */
async function judgeSignature(ctx: Ctx, seen: Release, staged: StagedObject): Promise<boolean> {
  const { sha256, size } = staged;
  if (seen.bundleSha256 === sha256) return true;
  requireSameBytes(seen);
  if (seen.bundleSha256 !== null) return false;
  const keys = await publicKeysForClients(ctx, seen.productId);
  const key = keys.find(({ keyId }) => keyId === seen.keyId);
  if (seen.signature === null || !key) return true;
  requireSignature(seen, sha256, seen.signature, key.publicKey);
  const { statement, statementSignature } = seen;
  if (statement !== null && statementSignature !== null) {
    const signed = { statement, statementSignature };
    requireStatement({ ...seen, bundleSha256: sha256, bundleSize: size }, signed, key.publicKey);
  }
  return true;
}

function requireSameBytes(seen: Release): void {
  if (seen.state === 'DRAFT') return;
  if (seen.bundleSha256 === null) requireDraft(seen);
  throw refuse('NOT_DRAFT', `${nameOf(seen)} is ${seen.state}: only the published file can be restored`, {
    id: seen.id,
    state: seen.state,
    sha256: seen.bundleSha256,
  });
}

/**
 * The last part of a name, as browsers of old sent whole paths. It ends in headers and on disks of customers.
 *
 * @throws AppError VALIDATION_ERROR
 */
function safeFilename(sent: string): string {
  const name = sent.split(/[/\\]/).at(-1) ?? '';
  const fault = textFault(name, 1, FILENAME)?.message ?? null;
  const odd = name === '.' || name === '..' || /\p{Cc}/u.test(name);
  if (fault === null && !odd) return name;
  throw fail('VALIDATION_ERROR', `the file name of the bundle ${fault ?? 'must be a plain name'}`, {
    details: {
      issues: [{ path: 'filename', rule: 'invalid_format', message: fault ?? 'must be a plain name' }],
    },
  });
}
