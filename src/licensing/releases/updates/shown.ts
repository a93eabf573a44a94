import type { ManifestAnswer } from './schemas.ts';
import type { ServedRelease } from './served.ts';

/** What check and manifest tell of a release alike. */
type Shown = Pick<
  ManifestAnswer,
  | 'version'
  | 'sha256'
  | 'signature'
  | 'published_at'
  | 'key_id'
  | 'statement'
  | 'statement_signature'
  | 'sequence'
>;

/** @param release that is served */
export function shownRelease(release: ServedRelease): Shown {
  const { statement, statementSignature, sequence } = release;
  return {
    version: release.version,
    sha256: release.bundleSha256,
    signature: release.signature,
    published_at: release.publishedAt,
    key_id: release.keyId,
    ...(statement !== null && { statement }),
    ...(statementSignature !== null && { statement_signature: statementSignature }),
    ...(statement !== null && sequence !== null && { sequence }),
  };
}
